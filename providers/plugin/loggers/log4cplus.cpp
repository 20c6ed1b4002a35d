// log4cplus with a file appender, alone or behind its queue: time level event.
#include <log4cplus/asyncappender.h>
#include <log4cplus/fileappender.h>
#include <log4cplus/initializer.h>
#include <log4cplus/log4cplus.h>

#include <memory>

#include "logger.hpp"

namespace {

using namespace loggers;

const char* const kModes[] = {"sync", "async", nullptr};
const tailgate_option kOptions[] = {
    kDestination,
    {"mode", TAILGATE_CHOICE, "sync",
     "who writes: the caller, or a thread behind a queue that blocks", 0, 0, kModes},
    {"queue_events", TAILGATE_INTEGER, "8192", "async: capacity of the queue", 1, 1 << 24, nullptr},
    {"flush_each", TAILGATE_BOOLEAN, "true", "flush after every event (ImmediateFlush)", 0, 0,
     nullptr},
    {}};

class Log4cplus : public Provider {
 public:
  explicit Log4cplus(const Context& context)
      : log_(logger()),
        file_(new log4cplus::FileAppender(destination(context), std::ios_base::trunc,
                                          context.boolean("flush_each"))) {
    file_->setLayout(
        std::make_unique<log4cplus::PatternLayout>("%D{%Y-%m-%d %H:%M:%S.%q} %-5p %m%n"));
    if (context.text("mode") == "async") {
      queue_ = new log4cplus::AsyncAppender(file_,
                                            static_cast<unsigned>(context.integer("queue_events")));
    }
    log_.removeAllAppenders();
    log_.addAppender(queue_ ? queue_ : file_);
    log_.setAdditivity(false);
    log_.setLogLevel(log4cplus::INFO_LOG_LEVEL);
  }

  std::uint8_t emit(unsigned, Event event) {
    if (!file_) return kClosed;
    LOG4CPLUS_INFO(log_, event.text());
    return kAccepted;
  }

  // The queue's thread writes what is queued before it ends.
  void close() override {
    if (!file_) return;
    log_.removeAllAppenders();
    if (queue_) queue_->close();
    file_->close();
    queue_ = nullptr;
    file_ = nullptr;
  }

 private:
  // The library is initialised once in a process.
  static log4cplus::Logger logger() {
    static const log4cplus::Initializer library;
    return log4cplus::Logger::getInstance("app");
  }

  log4cplus::Logger log_;
  log4cplus::SharedAppenderPtr file_;
  log4cplus::SharedAppenderPtr queue_;
};

}  // namespace

TAILGATE_PLUGIN(Log4cplus, {.name = "log4cplus",
                            .description = "log4cplus with a file, in the caller or behind a queue",
                            .flags = TAILGATE_TEXT_EVENTS,
                            .read_back = TAILGATE_READ_LINES,
                            .library = kVersion,
                            .options = kOptions,
                            .abilities_with = lines_by_mode<0>})
