#include "providers/ftrace/roles.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "providers/tracefs/buffer_options.h"
#include "providers/tracefs/ring_consumer.h"
#include "providers/tracefs/trace_session.h"

namespace tailgate::ftrace {
namespace {

enum Refusal : EmitStatus { kClosed = 1, kNotTaken, kTooLong, kCut, kOther };

// What carries the events of a mode: the file that they are written to, the records that come of
// it, and the field of those records that holds what was written.
struct Marker {
  const char* file;
  const char* format;
  const char* field;
  tracefs::Carriage carriage;
};

// The first four bytes of what is written raw are a number of the writer's choice for the kind of
// event (kernel: Documentation/trace/ftrace.rst, "trace_marker_raw"): the magic at an event's front
// serves as that number, and the whole event is one write.
const Marker& marker_of(const Options& options) {
  static const Marker raw = {"trace_marker_raw", "events/ftrace/raw_data/format", "id",
                             tracefs::Carriage::raw};
  static const Marker text = {"trace_marker", "events/ftrace/print/format", "buf",
                              tracefs::Carriage::text};
  return options.text("mode") == "raw" ? raw : text;
}

// One write(2) an event.
class MarkerProvider : public Provider {
 public:
  explicit MarkerProvider(const TrialContext& context)
      : file_(tracefs::open_instance(context.directory)
                  .open(marker_of(context.options).file, O_WRONLY)) {}

  EmitStatus emit(unsigned, std::span<const std::byte> event) noexcept override {
    if (!file_.is_open()) return kClosed;
    const ssize_t written = ::write(file_.native(), event.data(), event.size());
    if (written == static_cast<ssize_t>(event.size())) [[likely]]
      return kAccepted;
    if (written >= 0) return kCut;
    // EBADF is the kernel's answer when the buffer takes nothing.
    return errno == EBADF ? kNotTaken : errno == EINVAL ? kTooLong : kOther;
  }

  std::vector<std::string> refusal_causes() const override {
    return {"closed", "EBADF: buffer full or off", "EINVAL: too long", "cut short", "other error"};
  }

  void close() override { file_.close(); }

 private:
  tracefs::Handle file_;
};

}  // namespace

Probe probe(const Options&) {
  return tracefs::probe_tracefs();
}

void sweep() {
  if (tracefs::probe_tracefs().available) tracefs::sweep_instances(tracefs::TraceFolder::root());
}

OptionTable buffer_options() {
  return tracefs::buffer_options();
}

std::unique_ptr<Session> make_session(const TrialContext& context) {
  return std::make_unique<tracefs::TraceSession>(context, tracefs::WhenFull::refused);
}

std::unique_ptr<Provider> open_provider(const TrialContext& context) {
  return std::make_unique<MarkerProvider>(context);
}

std::unique_ptr<Consumer> open_consumer(const TrialContext& context) {
  const Marker& marker = marker_of(context.options);
  const tracefs::TraceFolder instance = tracefs::open_instance(context.directory);
  return std::make_unique<tracefs::RingConsumer>(
      instance,
      tracefs::record_format(instance.read(marker.format), marker.field, marker.carriage));
}

}  // namespace tailgate::ftrace
