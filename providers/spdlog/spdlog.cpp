#include "providers/spdlog/spdlog.h"

#include <cerrno>
#include <fstream>

#include "harness/base/error.h"
#include "providers/readback/line_events.h"
#include "providers/spdlog/logger.h"

namespace tailgate {
namespace {

std::filesystem::path log_path(const TrialContext& context) {
  return context.directory / "spdlog.log";
}

// Creates the log, so that a consumer finds it before the provider has opened it.
class SpdlogSession : public Session {
 public:
  explicit SpdlogSession(std::filesystem::path path) : path_(std::move(path)) {}

  void start() override {
    if (!std::ofstream(path_, std::ios::trunc)) {
      throw system_error("open", path_.string(), errno,
                         "choose a trial directory that can be written to");
    }
  }
  std::vector<std::pair<std::string, std::string>> granted() const override {
    return {{"library", "spdlog " + spdlog_detail::library_version()}};
  }
  void stop() override {}

 private:
  std::filesystem::path path_;
};

class SpdlogSink : public SinkType {
 public:
  std::string name() const override { return "spdlog"; }
  std::string description() const override {
    return "the spdlog library: lines into a file, synchronous or queued";
  }

  OptionTable options() const override {
    return {
        {"mode",
         OptionType::choice,
         "sync",
         "who writes: the caller, or a worker behind a queue that blocks or overruns when full",
         0,
         0,
         {"sync", "async_block", "async_overrun"}},
        {"queue_events", OptionType::integer, "8192", "async: messages that the queue holds", 1,
         16 << 20},
        {"pattern",
         OptionType::choice,
         "message",
         "a line: the message alone, or as by default "
         "with time, logger and level",
         0,
         0,
         {"message", "default"}},
        {"flush_each", OptionType::boolean, "false",
         "flush the C library's buffer after every message, not only when it is full"},
    };
  }

  // The queue's counter is exact. After a failed write the C library drops its buffer and the
  // library cannot say what was in it: a full disk shows as unaccounted events, and as an error of
  // close().
  Capabilities capabilities(const Options& options) const override {
    const bool at_once = options.text("mode") == "sync" && options.boolean("flush_each");
    return {.read_back = true,
            .live_read = true,
            .accounts_losses = true,
            .asynchronous = !at_once,
            .deferred_work = options.text("mode") != "sync",
            .text_events = true};
  }

  Probe probe(const Options&) const override { return spdlog_detail::probe_library(); }

  std::unique_ptr<Session> make_session(const TrialContext& context) const override {
    return std::make_unique<SpdlogSession>(log_path(context));
  }
  std::unique_ptr<Provider> open_provider(const TrialContext& context) const override {
    return spdlog_detail::open_logger(context, log_path(context));
  }
  std::unique_ptr<Consumer> open_consumer(const TrialContext& context) const override {
    return std::make_unique<LineEventsConsumer>(log_path(context));
  }
};

}  // namespace

const SinkType& spdlog_sink() {
  static const SpdlogSink sink;
  return sink;
}

}  // namespace tailgate
