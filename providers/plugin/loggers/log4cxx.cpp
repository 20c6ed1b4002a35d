// log4cxx with a file appender, alone or behind its AsyncAppender: time level event.
#include <log4cxx/asyncappender.h>
#include <log4cxx/fileappender.h>
#include <log4cxx/logger.h>
#include <log4cxx/logmanager.h>
#include <log4cxx/patternlayout.h>
#include <log4cxx/spi/filter.h>
#include <log4cxx/spi/loggingevent.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "logger.hpp"

namespace {

using namespace loggers;

const char* const kModes[] = {"sync", "async_block", "async_discard", nullptr};
const tailgate_option kOptions[] = {
    kDestination,
    {"mode", TAILGATE_CHOICE, "sync",
     "who writes: the caller, or AsyncAppender's thread, whose full buffer blocks or discards", 0,
     0, kModes},
    {"queue_events", TAILGATE_INTEGER, "8192", "async: bufferSize", 1, 1 << 24, nullptr},
    {"flush_each", TAILGATE_BOOLEAN, "true", "write every event at once (not bufferedIO)", 0, 0,
     nullptr},
    {}};

std::atomic<std::uint64_t> discarded;

// AsyncAppender reports what it discarded as a line of the log, which quotes one of the events.
class CountDiscarded : public log4cxx::spi::Filter {
 public:
  FilterDecision decide(const log4cxx::spi::LoggingEventPtr& event) const override {
    constexpr const char* kReport = "Discarded ";
    const log4cxx::LogString& message = event->getMessage();
    if (message.compare(0, std::strlen(kReport), kReport) == 0) {
      discarded += std::strtoull(message.c_str() + std::strlen(kReport), nullptr, 10) - 1;
    }
    return NEUTRAL;
  }
};

class Log4cxx : public Provider {
 public:
  explicit Log4cxx(const Context& context) {
    discarded = 0;
    const auto layout =
        std::make_shared<log4cxx::PatternLayout>("%d{yyyy-MM-dd HH:mm:ss.SSS} %-5p %m%n");
    const auto file = std::make_shared<log4cxx::FileAppender>(layout, destination(context), false,
                                                              !context.boolean("flush_each"), 8192);
    const std::string mode = context.text("mode");
    appender_ = file;
    if (mode != "sync") {
      file->addFilter(std::make_shared<CountDiscarded>());
      const auto queue = std::make_shared<log4cxx::AsyncAppender>();
      queue->setBufferSize(static_cast<int>(context.integer("queue_events")));
      queue->setBlocking(mode == "async_block");
      queue->addAppender(file);
      appender_ = queue;
    }
    log_->removeAllAppenders();
    log_->addAppender(appender_);
    log_->setAdditivity(false);
    log_->setLevel(log4cxx::Level::getInfo());
  }

  std::uint8_t emit(unsigned, Event event) {
    if (!appender_) return kClosed;
    LOG4CXX_INFO(log_, event.text());
    return kAccepted;
  }

  // AsyncAppender writes what is queued, and closes the file behind it.
  void close() override {
    if (!appender_) return;
    log_->removeAllAppenders();
    appender_->close();
    appender_.reset();
  }

  std::vector<Loss> losses() override { return {{"buffer full", discarded}}; }

 private:
  log4cxx::LoggerPtr log_ = log4cxx::Logger::getLogger("app");
  log4cxx::AppenderPtr appender_;
};

}  // namespace

TAILGATE_PLUGIN(Log4cxx, {.name = "log4cxx",
                          .description = "log4cxx with a file, in the caller or AsyncAppender",
                          .flags = TAILGATE_TEXT_EVENTS,
                          .read_back = TAILGATE_READ_LINES,
                          .library = kVersion,
                          .options = kOptions,
                          .abilities_with = lines_by_mode<TAILGATE_ACCOUNTS_LOSSES>})
