#include "providers/spdlog/logger.h"

#include <fmt/format.h>
#include <spdlog/async.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tailgate::spdlog_detail {
namespace {

constexpr EmitStatus kClosed = 1;

std::shared_ptr<spdlog::sinks::sink> open_file(const Options& options, const std::string& path) {
  const auto max_bytes = static_cast<std::size_t>(options.integer("max_bytes"));
  if (max_bytes == 0) return std::make_shared<spdlog::sinks::basic_file_sink_mt>(path);
  const auto files = static_cast<std::size_t>(options.integer("files_count"));
  return std::make_shared<spdlog::sinks::rotating_file_sink_mt>(path, max_bytes / files, files - 1);
}

class LoggerProvider : public Provider {
 public:
  LoggerProvider(const TrialContext& context, const std::filesystem::path& path)
      : path_(path), file_(open_file(context.options, path.string())) {
    const Options& options = context.options;
    const std::string& mode = options.text("mode");
    if (mode == "sync") {
      logger_ = std::make_shared<spdlog::logger>("tailgate", file_);
    } else {
      const auto queue_events = static_cast<std::size_t>(options.integer("queue_events"));
      pool_ = std::make_shared<spdlog::details::thread_pool>(queue_events, 1);
      logger_ = std::make_shared<spdlog::async_logger>(
          "tailgate", file_, pool_,
          mode == "async_block" ? spdlog::async_overflow_policy::block
                                : spdlog::async_overflow_policy::overrun_oldest);
    }
    // By default the library puts time, logger and level before each message.
    if (options.text("pattern") == "message") logger_->set_pattern("%v");
    if (options.text("level") == "off") logger_->set_level(spdlog::level::off);
    if (options.boolean("flush_each")) logger_->flush_on(spdlog::level::trace);
    const std::string& format = options.text("format");
    format_ = format == "lazy" ? Format::lazy : format == "eager" ? Format::eager : Format::none;
    calls_.resize(context.threads);
    logger_->set_error_handler(
        [this](const std::string&) { failed_.fetch_add(1, std::memory_order_relaxed); });
  }

  EmitStatus emit(unsigned thread, std::span<const std::byte> event) noexcept override {
    if (logger_ == nullptr) return kClosed;
    const std::string_view text(reinterpret_cast<const char*>(event.data()), event.size());
    if (format_ == Format::none) {
      logger_->log(spdlog::level::info, text);
    } else {
      log_formatted(thread, text);
    }
    return kAccepted;
  }

  std::vector<std::string> refusal_causes() const override { return {"closed"}; }

  // The pool's destructor posts its last message in blocking mode, after all others. Unlike a flush
  // through a queue that overruns, it drops nothing, so the counter read before it is final.
  void close() override {
    if (logger_ == nullptr) return;
    if (pool_ != nullptr) overrun_ = pool_->overrun_counter();
    pool_.reset();
    logger_.reset();
    try {
      file_->flush();
    } catch (const spdlog::spdlog_ex&) {
      ++failed_;
    }
    file_.reset();
    if (failed_ > 0) {
      throw Error(fmt::format("spdlog: {} writes to '{}' failed", failed_.load(), path_.string()),
                  "free disk space; the C library dropped events that it had buffered");
    }
  }

  std::vector<Loss> losses() const override {
    if (overrun_ == 0) return {};
    return {{"queue overrun", overrun_}};
  }

 private:
  enum class Format : std::uint8_t { none, lazy, eager };

  struct alignas(64) Calls {
    std::uint64_t number = 0;
  };

  // The same text either way, and the event is its last word. An eager program formats it first, as
  // in log(fmt::format(…)), and its text is thrown away where nobody listens.
  void log_formatted(unsigned thread, std::string_view event) {
    const std::uint64_t number = calls_[thread].number++;
    const double share = static_cast<double>(number) / 1024;
    if (format_ == Format::lazy) {
      logger_->log(spdlog::level::info, kFormat, number, thread, share, event);
    } else {
      logger_->log(spdlog::level::info, fmt::format(kFormat, number, thread, share, event));
    }
  }

  static constexpr const char kFormat[] = "call {} of thread {} at {:.3f}: {}";

  Format format_ = Format::none;
  std::vector<Calls> calls_;  // of each thread
  std::filesystem::path path_;
  std::uint64_t overrun_ = 0;
  std::atomic<std::uint64_t> failed_ = 0;  // the worker increments it until the pool ends
  std::shared_ptr<spdlog::sinks::sink> file_;
  std::shared_ptr<spdlog::details::thread_pool> pool_;
  std::shared_ptr<spdlog::logger> logger_;
};

}  // namespace

std::string library_version() {
  return fmt::format("{}.{}.{}", SPDLOG_VER_MAJOR, SPDLOG_VER_MINOR, SPDLOG_VER_PATCH);
}

std::unique_ptr<Provider> open_logger(const TrialContext& context,
                                      const std::filesystem::path& path) {
  try {
    return std::make_unique<LoggerProvider>(context, path);
  } catch (const spdlog::spdlog_ex& error) {
    throw Error(fmt::format("spdlog: opening '{}' failed: {}", path.string(), error.what()),
                "start the session before its provider");
  }
}

}  // namespace tailgate::spdlog_detail
