// glog: one lock around a buffered file, its usual line: I<date> <time> <thread> <file>] event.
#include <glog/logging.h>

#include <fstream>

#include "logger.hpp"

namespace {

using namespace loggers;

const tailgate_option kOptions[] = {kDestination,
                                    {"flush_each", TAILGATE_BOOLEAN, "false",
                                     "flush after every message (logbuflevel = -1)", 0, 0, nullptr},
                                    {}};

class Glog : public Provider {
 public:
  explicit Glog(const Context& context) {
    FLAGS_timestamp_in_logfile_name = false;
    FLAGS_stderrthreshold = google::GLOG_FATAL;
    FLAGS_logbuflevel = context.boolean("flush_each") ? -1 : google::GLOG_INFO;
    google::SetLogDestination(google::GLOG_INFO, destination(context).c_str());
    google::SetLogSymlink(google::GLOG_INFO, "");
    google::InitGoogleLogging("app");
    open_ = true;
  }

  std::uint8_t emit(unsigned, Event event) {
    if (!open_) return kClosed;
    LOG(INFO) << event.text();
    return kAccepted;
  }

  void close() override {
    if (!std::exchange(open_, false)) return;
    google::FlushLogFiles(google::GLOG_INFO);
    google::ShutdownGoogleLogging();
  }

 private:
  bool open_ = false;
};

// Reads the lines but for those with which the library begins a file, and cannot be told not to.
class GlogLines : public Consumer {
 public:
  explicit GlogLines(const Context& context) : file_(context.log_path(), std::ios::binary) {}

  std::int64_t poll(Visitor visitor) override {
    char bytes[1 << 16];
    file_.clear();
    file_.read(bytes, sizeof bytes);
    rest_.append(bytes, static_cast<std::size_t>(file_.gcount()));
    std::size_t begin = 0;
    std::int64_t events = 0;
    for (std::size_t end; (end = rest_.find('\n', begin)) != std::string::npos; begin = end + 1) {
      const std::string_view line(&rest_[begin], end - begin);
      if (line.starts_with('I')) {
        visitor.event(line.substr(line.rfind(' ') + 1));
        ++events;
      } else if (seen_) {
        visitor.damage(line.size());
      }
      seen_ = seen_ || events > 0;
    }
    rest_.erase(0, begin);
    return events;
  }

  void finish(Visitor visitor) override {
    if (!rest_.empty()) visitor.damage(rest_.size());
  }

 private:
  std::ifstream file_;
  std::string rest_;
  bool seen_ = false;  // an event
};

tailgate_abilities abilities(const tailgate_context* context) {
  tailgate_abilities can =
      lines(context, Context(*context).boolean("flush_each") ? 0u : +TAILGATE_ASYNCHRONOUS);
  if (can.read_back == TAILGATE_READ_LINES) can.read_back = TAILGATE_READ_CONSUMER;
  return can;
}

}  // namespace

TAILGATE_PLUGIN_TABLE(table_of<Glog, void, GlogLines>({.name = "glog",
                                                       .description = "glog with a file",
                                                       .flags = TAILGATE_TEXT_EVENTS,
                                                       .read_back = TAILGATE_READ_CONSUMER,
                                                       .library = kVersion,
                                                       .options = kOptions,
                                                       .abilities_with = abilities}))
