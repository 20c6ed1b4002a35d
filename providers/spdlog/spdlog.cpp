// The spdlog sink: a widely used C++ logging library writes lines to a file, in the calling thread
// or in a worker thread behind a queue.
#include "harness/sink/sink.h"

#include <cerrno>
#include <fstream>

#include "harness/base/error.h"
#include "providers/shared/readback/line_events.h"
#include "providers/spdlog/logger.h"
#include "providers/spdlog/options.h"

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
  std::string description() const override { return spdlog_detail::kDescription; }

  OptionTable options() const override { return spdlog_detail::options(); }

  // The queue counts its losses exactly. After a failed write the C library drops its buffer, and
  // spdlog cannot say which events were in it: a full disk shows as unaccounted events and as an
  // error of close().
  Capabilities capabilities(const Options& options) const override {
    const bool listens = options.text("level") != "off";
    const bool at_once = options.text("mode") == "sync" && options.boolean("flush_each");
    return {.read_back = listens,
            .live_read = listens,
            .accounts_losses = listens,
            .asynchronous = !at_once,
            .survives = at_once && listens ? Survives::kill : Survives::nothing,
            .deferred_work = options.text("mode") != "sync",
            .text_events = true};
  }

  Probe probe(const Options&) const override { return {}; }

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

std::unique_ptr<const SinkType> make_spdlog_sink(const SinkCatalog&) {
  return std::make_unique<SpdlogSink>();
}

}  // namespace tailgate
