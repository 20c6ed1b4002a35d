// spdlog with its file sink and its usual line: [time] [logger] [level] event.
#include <spdlog/async.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <memory>

#include "logger.hpp"

namespace {

using namespace loggers;

const char* const kModes[] = {"sync", "async_block", "async_overrun", nullptr};
const tailgate_option kOptions[] = {
    kDestination,
    {"mode", TAILGATE_CHOICE, "sync",
     "who writes: the caller, or a thread behind a queue that blocks or drops its oldest message",
     0, 0, kModes},
    {"queue_events", TAILGATE_INTEGER, "8192", "async: capacity of the queue", 1, 1 << 24, nullptr},
    {"flush_each", TAILGATE_BOOLEAN, "false", "flush after every message", 0, 0, nullptr},
    {}};

class Spdlog : public Provider {
 public:
  explicit Spdlog(const Context& context)
      : file_(std::make_shared<spdlog::sinks::basic_file_sink_mt>(destination(context))) {
    if (context.text("mode") == "sync") {
      log_ = std::make_shared<spdlog::logger>("app", file_);
    } else {
      pool_ = std::make_shared<spdlog::details::thread_pool>(context.integer("queue_events"), 1);
      log_ = std::make_shared<spdlog::async_logger>(
          "app", file_, pool_,
          context.text("mode") == "async_block" ? spdlog::async_overflow_policy::block
                                                : spdlog::async_overflow_policy::overrun_oldest);
    }
    if (context.boolean("flush_each")) log_->flush_on(spdlog::level::info);
    log_->set_error_handler([this](const std::string&) { ++failed_; });
  }

  std::uint8_t emit(unsigned, Event event) {
    if (!log_) return kClosed;
    log_->info(event.text());
    return kAccepted;
  }

  // The pool's last message waits for room whatever the policy, and comes after all events.
  void close() override {
    if (pool_) overrun_ = pool_->overrun_counter();
    pool_.reset();
    log_.reset();
    if (file_) file_->flush();
    file_.reset();
    if (failed_ > 0) throw std::runtime_error("spdlog could not write, see its error handler");
  }

  std::vector<Loss> losses() override { return {{"queue overrun", overrun_}}; }

 private:
  std::shared_ptr<spdlog::sinks::basic_file_sink_mt> file_;
  std::shared_ptr<spdlog::details::thread_pool> pool_;
  std::shared_ptr<spdlog::logger> log_;
  std::atomic<int> failed_ = 0;
  std::uint64_t overrun_ = 0;
};

}  // namespace

TAILGATE_PLUGIN(Spdlog, {.name = "spdlog",
                         .description = "spdlog with a file, in the caller or behind a queue",
                         .flags = TAILGATE_TEXT_EVENTS,
                         .read_back = TAILGATE_READ_LINES,
                         .library = kVersion,
                         .options = kOptions,
                         .abilities_with = lines_by_mode<TAILGATE_ACCOUNTS_LOSSES>})
