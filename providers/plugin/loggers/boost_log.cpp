// Boost.Log with a text file, in the caller or behind its queues: time [level] event.
#include <boost/log/core.hpp>
#include <boost/log/expressions.hpp>
#include <boost/log/sinks.hpp>
#include <boost/log/sources/severity_logger.hpp>
#include <boost/log/support/date_time.hpp>
#include <boost/log/trivial.hpp>
#include <boost/log/utility/setup/common_attributes.hpp>
#include <boost/make_shared.hpp>

#include <atomic>
#include <functional>

#include "logger.hpp"

namespace {

using namespace loggers;
namespace logging = boost::log;
namespace sinks = boost::log::sinks;

const char* const kModes[] = {"sync", "async", "async_block", "async_drop", nullptr};
const tailgate_option kOptions[] = {
    kDestination,
    {"mode", TAILGATE_CHOICE, "sync",
     "who writes: the caller, or a thread behind a queue that grows, blocks or drops", 0, 0,
     kModes},
    {"flush_each", TAILGATE_BOOLEAN, "false", "flush after every record (auto_flush)", 0, 0,
     nullptr},
    {}};

constexpr std::size_t kQueueEvents = 8192;  // the library takes it when it is compiled
std::atomic<std::uint64_t> dropped;

// The library's drop_on_overflow does not count; what is to happen is its user's to say.
struct CountedDrop : sinks::drop_on_overflow {
  template <class Lock>
  static bool on_overflow(const logging::record_view&, Lock&) {
    ++dropped;
    return false;
  }
};

using Backend = sinks::text_file_backend;

class BoostLog : public Provider {
 public:
  explicit BoostLog(const Context& context) {
    const std::string mode = context.text("mode");
    dropped = 0;
    backend_ =
        boost::make_shared<Backend>(logging::keywords::file_name = destination(context),
                                    logging::keywords::auto_flush = context.boolean("flush_each"));
    logging::add_common_attributes();
    if (mode == "sync") add<sinks::synchronous_sink<Backend>>([](auto&) {});
    if (mode == "async") add_queue<sinks::unbounded_fifo_queue>();
    if (mode == "async_block") {
      add_queue<sinks::bounded_fifo_queue<kQueueEvents, sinks::block_on_overflow>>();
    }
    if (mode == "async_drop") add_queue<sinks::bounded_fifo_queue<kQueueEvents, CountedDrop>>();
  }

  std::uint8_t emit(unsigned, Event event) {
    if (!sink_) return kClosed;
    BOOST_LOG_SEV(log_, logging::trivial::info) << event.text();
    return kAccepted;
  }

  void close() override {
    if (!sink_) return;
    logging::core::get()->remove_sink(sink_);
    stop_();
    sink_.reset();
    backend_.reset();
    stop_ = nullptr;
  }

  std::vector<Loss> losses() override { return {{"queue full", dropped}}; }

 private:
  template <class Queue>
  void add_queue() {
    add<sinks::asynchronous_sink<Backend, Queue>>([](auto& sink) {
      sink.stop();
      sink.feed_records();  // those of a queue that was not empty when the thread stopped
    });
  }

  template <class Sink, class Stop>
  void add(Stop stop) {
    namespace expr = logging::expressions;
    const auto sink = boost::make_shared<Sink>(backend_);
    sink->set_formatter(expr::stream
                        << expr::format_date_time<boost::posix_time::ptime>("TimeStamp",
                                                                            "%Y-%m-%d %H:%M:%S.%f")
                        << " [" << expr::attr<logging::trivial::severity_level>("Severity") << "] "
                        << expr::smessage);
    logging::core::get()->add_sink(sink);
    sink_ = sink;
    stop_ = [sink, stop] {
      stop(*sink);
      sink->flush();
    };
  }

  boost::shared_ptr<Backend> backend_;
  boost::shared_ptr<sinks::sink> sink_;
  std::function<void()> stop_;
  logging::sources::severity_logger_mt<logging::trivial::severity_level> log_;
};

}  // namespace

TAILGATE_PLUGIN(BoostLog, {.name = "boost_log",
                           .description = "Boost.Log with a file, in the caller or behind a queue",
                           .flags = TAILGATE_TEXT_EVENTS,
                           .read_back = TAILGATE_READ_LINES,
                           .library = kVersion,
                           .options = kOptions,
                           .abilities_with = lines_by_mode<TAILGATE_ACCOUNTS_LOSSES>})
