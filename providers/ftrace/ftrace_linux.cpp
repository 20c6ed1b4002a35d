// The ftrace sink writes events to trace_marker_raw or trace_marker, and so into the Linux kernel's
// trace buffer, in a tracefs instance of its own.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <optional>

#include "harness/sink/sink.h"
#include "providers/ftrace/options.h"
#include "providers/shared/sessions/own_sessions.h"
#include "providers/shared/tracefs/ring_consumer.h"
#include "providers/shared/tracefs/rival.h"
#include "providers/shared/tracefs/trace_session.h"

namespace tailgate::ftrace {
namespace {

enum Refusal : EmitStatus { kClosed = 1, kNotTaken, kTooLong, kCut, kOther };

// How a mode's events get through the kernel: the file that emit() writes to, the format of the
// records that the kernel makes of them, and the record's field that holds the event.
struct Marker {
  const char* file;
  const char* format;
  const char* field;
  tracefs::Carriage carriage;
  std::size_t largest_event_bytes;  // where pages have 4 KiB
};

// The kernel takes the first four bytes of a raw write as a number that the writer chooses for the
// kind of event (Documentation/trace/ftrace.rst, "trace_marker_raw"). Every event begins with its
// magic number, which serves as that number; so one write carries the whole event.
const Marker& marker_of(const Options& options) {
  static const Marker raw = {"trace_marker_raw", "events/ftrace/raw_data/format", "id",
                             tracefs::Carriage::raw, 4064};
  static const Marker text = {"trace_marker", "events/ftrace/print/format", "buf",
                              tracefs::Carriage::text, 4054};
  return options.text("mode") == "raw" ? raw : text;
}

// An event has to fit into a page of the buffer; how large one may be with other pages was not
// tried.
std::size_t largest_event_bytes(const Options& options) {
  constexpr long kTriedPageBytes = 4096;
  return sysconf(_SC_PAGESIZE) == kTriedPageBytes ? marker_of(options).largest_event_bytes : 0;
}

constexpr unsigned kRivalSession = 1;
constexpr std::chrono::seconds kProgramsLimit{5};

// With a second instance that another controller starts and ends during the load, where a scenario
// asks for it.
class FtraceSession : public tracefs::TraceSession {
 public:
  explicit FtraceSession(const TrialContext& context)
      : TraceSession(context, tracefs::WhenFull::refused), context_(context) {}

  void start() override {
    TraceSession::start();
    if (!context_.rival_may_start || context_.sessions > 1) return;
    create_session_directories(with_rival());
    call_.emplace(context_.directory);
  }

  void start_rival() override {
    if (!call_) return TraceSession::start_rival();
    rival_.emplace(session_directory(context_, kRivalSession), instance_options(context_));
    call_->say(tracefs::RivalCall::kListen);
    call_->wait_for_programs(context_.processes, kProgramsLimit);
  }
  void end_rival() override {
    if (!rival_ || call_->said() == tracefs::RivalCall::kLeave) return;
    call_->say(tracefs::RivalCall::kLeave);
    rival_->end();
  }

  void stop() override {
    TraceSession::stop();
    end_rival();
  }

 private:
  TrialContext with_rival() const {
    TrialContext both = context_;
    both.sessions = kRivalSession + 1;
    return both;
  }

  TrialContext context_;
  std::optional<tracefs::RivalCall> call_;
  std::optional<tracefs::RivalController> rival_;
};

// emit() makes one write(2), and one more for each further session.
class MarkerProvider : public Provider {
 public:
  explicit MarkerProvider(const TrialContext& context) : file_(open_marker(context, 0)) {
    for (unsigned i = 1; i < context.sessions; ++i) further_.push_back(open_marker(context, i));
  }

  EmitStatus emit(unsigned, std::span<const std::byte> event) noexcept override {
    if (!file_.is_open()) return kClosed;
    const ssize_t written = ::write(file_.native(), event.data(), event.size());
    for (const tracefs::Handle& file : further_) {
      // What becomes of the event there is not measured.
      [[maybe_unused]] const ssize_t ignored = ::write(file.native(), event.data(), event.size());
    }
    if (written == static_cast<ssize_t>(event.size())) [[likely]]
      return kAccepted;
    if (written >= 0) return kCut;
    // The kernel answers EBADF when the buffer is full or switched off.
    return errno == EBADF ? kNotTaken : errno == EINVAL ? kTooLong : kOther;
  }

  std::vector<std::string> refusal_causes() const override {
    return {"closed", "EBADF: buffer full or off", "EINVAL: too long", "cut short", "other error"};
  }

  void close() override {
    file_.close();
    further_.clear();
  }

 protected:
  static tracefs::Handle open_marker(const TrialContext& context, unsigned session) {
    return tracefs::open_instance(session_directory(context, session))
        .open(marker_of(context.options).file, O_WRONLY);
  }

 private:
  tracefs::Handle file_;
  std::vector<tracefs::Handle> further_;
};

// While a rival's instance records, emit() writes into it, too.
class RivalledProvider : public MarkerProvider {
 public:
  explicit RivalledProvider(const TrialContext& context)
      : MarkerProvider(context),
        listener_(context.directory, [context] { return open_marker(context, kRivalSession); }) {}

  EmitStatus emit(unsigned thread, std::span<const std::byte> event) noexcept override {
    const EmitStatus status = MarkerProvider::emit(thread, event);
    if (const int marker = listener_.marker(); marker >= 0) {
      // Whether it is there is seen when the instance is read.
      [[maybe_unused]] const ssize_t ignored = ::write(marker, event.data(), event.size());
    }
    return status;
  }

 private:
  tracefs::RivalListener listener_;
};

class FtraceSink : public SinkType {
 public:
  std::string name() const override { return "ftrace"; }
  std::string description() const override { return kDescription; }
  OptionTable options() const override { return ftrace::options(); }

  Capabilities capabilities(const Options& options) const override {
    return {.read_back = true,
            .live_read = true,
            .accounts_losses = true,
            .survives = Survives::kill,
            .may_refuse = true,
            .multi_process = true,
            .multi_session = true,
            .own_sessions = true,
            .text_events = options.text("mode") == "text",
            .no_stacks = "the kernel adds no program's stack to markers (userstacktrace)",
            .largest_event_bytes = largest_event_bytes(options)};
  }

  Probe probe(const Options&) const override { return tracefs::probe_tracefs(); }

  void sweep() const override {
    if (tracefs::probe_tracefs().available) tracefs::sweep_instances(tracefs::TraceFolder::root());
  }

  std::unique_ptr<Session> make_session(const TrialContext& context) const override {
    const auto make = [](const TrialContext& one) { return std::make_unique<FtraceSession>(one); };
    if (context.own_sessions) return std::make_unique<OwnSessions>(context, make);
    return make(context);
  }
  std::unique_ptr<Provider> open_provider(const TrialContext& context) const override {
    if (context.rival_may_start && !context.own_sessions) {
      return std::make_unique<RivalledProvider>(context);
    }
    return std::make_unique<MarkerProvider>(
        context.own_sessions ? context_of_own(context, context.process) : context);
  }
  std::unique_ptr<Consumer> open_consumer(const TrialContext& context) const override {
    return context.own_sessions ? open_own_consumers(context, open_ring) : open_ring(context);
  }

 private:
  static std::unique_ptr<Consumer> open_ring(const TrialContext& context) {
    const Marker& marker = marker_of(context.options);
    const tracefs::TraceFolder instance =
        tracefs::open_instance(session_directory(context, context.session));
    return std::make_unique<tracefs::RingConsumer>(
        instance,
        tracefs::record_format(instance.read(marker.format), marker.field, marker.carriage));
  }
};

}  // namespace
}  // namespace tailgate::ftrace

namespace tailgate {

std::unique_ptr<const SinkType> make_ftrace_sink(const SinkCatalog&) {
  return std::make_unique<ftrace::FtraceSink>();
}

}  // namespace tailgate
