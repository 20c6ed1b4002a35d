// The spdlog sink: a widely used C++ logging library writes lines to a file, in the calling thread
// or in a worker thread behind a queue.
#include "harness/sink/sink.h"

#include <algorithm>
#include <cerrno>
#include <fstream>

#include "harness/base/error.h"
#include "providers/shared/readback/file_sequence.h"
#include "providers/shared/readback/line_events.h"
#include "providers/spdlog/logger.h"
#include "providers/spdlog/options.h"

namespace tailgate {
namespace {

std::filesystem::path log_path(const TrialContext& context) {
  return context.directory / "spdlog.log";
}

bool rotates(const Options& options) {
  return options.integer("max_bytes") > 0;
}

// The library's names: spdlog.log is the newest, spdlog.1.log the one before.
std::vector<std::filesystem::path> rotated_logs(const TrialContext& context) {
  std::vector<std::filesystem::path> files = {log_path(context)};
  for (int number = 1; number < context.options.integer("files_count"); ++number) {
    std::filesystem::path file = context.directory / ("spdlog." + std::to_string(number) + ".log");
    if (std::filesystem::exists(file)) files.push_back(std::move(file));
  }
  std::reverse(files.begin(), files.end());
  return files;
}

// Creates the log, so that a consumer finds it before the provider has opened it.
class SpdlogSession : public Session {
 public:
  SpdlogSession(std::filesystem::path path, std::int64_t cap_bytes)
      : path_(std::move(path)), cap_bytes_(cap_bytes) {}

  void start() override {
    if (!std::ofstream(path_, std::ios::trunc)) {
      throw system_error("open", path_.string(), errno,
                         "choose a trial directory that can be written to");
    }
  }
  std::vector<std::pair<std::string, std::string>> granted() const override {
    std::vector<std::pair<std::string, std::string>> granted = {
        {"library", "spdlog " + spdlog_detail::library_version()}};
    if (cap_bytes_ > 0) granted.emplace_back("cap_bytes", std::to_string(cap_bytes_));
    return granted;
  }
  void stop() override {}

 private:
  std::filesystem::path path_;
  std::int64_t cap_bytes_;  // 0: none
};

class SpdlogSink : public SinkType {
 public:
  std::string name() const override { return "spdlog"; }
  std::string description() const override { return spdlog_detail::kDescription; }

  OptionTable options() const override { return spdlog_detail::options(); }

  // A rotating sink does not count what it removes. The queue counts its losses exactly. After a
  // failed write the C library drops its buffer, and spdlog cannot say which events were in it: a
  // full disk shows as unaccounted events and as an error of close().
  Capabilities capabilities(const Options& options) const override {
    const bool listens = options.text("level") != "off";
    const bool at_once = options.text("mode") == "sync" && options.boolean("flush_each");
    const bool rotating = rotates(options);
    return {.read_back = listens,
            .live_read = listens && !rotating,
            .accounts_losses = listens && !rotating,
            .asynchronous = !at_once,
            .survives = at_once && listens && !rotating ? Survives::kill : Survives::nothing,
            .deferred_work = options.text("mode") != "sync",
            // The library opens its file to append. Unless it flushes after each event, the C
            // library's buffer may end within one, and another process's event may follow.
            .multi_process = at_once && !rotating,
            .multi_consumer = listens && !rotating,
            .text_events = true};
  }

  Probe probe(const Options&) const override { return {}; }

  std::unique_ptr<Session> make_session(const TrialContext& context) const override {
    return std::make_unique<SpdlogSession>(log_path(context), context.options.integer("max_bytes"));
  }
  std::unique_ptr<Provider> open_provider(const TrialContext& context) const override {
    return spdlog_detail::open_logger(context, log_path(context));
  }
  std::unique_ptr<Consumer> open_consumer(const TrialContext& context) const override {
    if (!rotates(context.options)) return std::make_unique<LineEventsConsumer>(log_path(context));
    return std::make_unique<FileSequence>(rotated_logs(context),
                                          [](const std::filesystem::path& path) {
                                            return std::make_unique<LineEventsConsumer>(path);
                                          });
  }
};

}  // namespace

std::unique_ptr<const SinkType> make_spdlog_sink(const SinkCatalog&) {
  return std::make_unique<SpdlogSink>();
}

}  // namespace tailgate
