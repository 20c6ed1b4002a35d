// The user_events sink registers an event with the Linux kernel and writes to it. The events go
// into the kernel's trace buffer, and the consumer reads them from a tracefs instance of their own.
#include <fmt/format.h>
#include <sys/utsname.h>

#include <optional>

#include "harness/base/error.h"
#include "harness/sink/sink.h"
#include "providers/shared/tracefs/ring_consumer.h"
#include "providers/shared/tracefs/trace_session.h"
#include "providers/user_events/options.h"
#include "providers/user_events/registration_linux.h"

namespace tailgate::user_events {
namespace {

using tracefs::TraceFolder;

std::string event_folder(const std::string& name) {
  return "events/user_events/" + name;
}

// Creates the instance and also registers the event. So the instance can enable the event before
// the provider runs, and the event's format outlives the provider.
class UserEventsSession : public tracefs::TraceSession {
 public:
  explicit UserEventsSession(const TrialContext& context)
      : TraceSession(context, tracefs::WhenFull::lost) {}
  ~UserEventsSession() override {
    if (!event_) return;
    disable();
    event_.reset();
    delete_event(*root_, name_);
  }

  void start() override {
    TraceSession::start();
    root_ = TraceFolder::root();
    name_ = event_name(instance().name());
    event_.emplace(*root_, name_);
    instance().folder().write(event_folder(name_) + "/enable", "1", "see the kernel's log");
  }

 private:
  // An enabled event cannot be deleted. If disabling fails, the next run removes the event.
  void disable() noexcept {
    try {
      instance().folder().write(event_folder(name_) + "/enable", "0", "");
    } catch (const Error&) {
    }
  }

  std::optional<TraceFolder> root_;
  std::string name_;
  std::optional<RegisteredEvent> event_;
};

// The longest event: a page less the header of a record, the kernel's common fields and the
// location field.
std::size_t max_event_bytes(const TraceFolder& instance, const tracefs::RecordFormat& format) {
  constexpr std::size_t kLongRecordHeaderBytes = 8;
  const tracefs::PageLayout layout = tracefs::parse_page_layout(
      instance.read("events/header_page"), instance.read("events/header_event"));
  return layout.page_bytes - layout.data_at - kLongRecordHeaderBytes - format.event_at -
         sizeof(std::uint32_t);
}

tracefs::RecordFormat format_of(const TraceFolder& instance, const std::string& name) {
  return tracefs::record_format(instance.read(event_folder(name) + "/format"), kField,
                                tracefs::Carriage::located);
}

// emit() makes one writev(2), if the event is enabled.
class UserEventsProvider : public Provider {
 public:
  UserEventsProvider(const TraceFolder& instance, const std::string& name)
      : event_(TraceFolder::root(), name),
        writer_(event_.writer(max_event_bytes(instance, format_of(instance, name)))) {}

  EmitStatus emit(unsigned, std::span<const std::byte> event) noexcept override {
    if (!event_.is_open()) return EventWriter::kClosed;
    return writer_.write(event);
  }

  std::vector<std::string> refusal_causes() const override {
    return {"closed", "not enabled", "too long", "EBADF: not taken", "other error"};
  }

  void close() override { event_.close(); }

 private:
  RegisteredEvent event_;
  EventWriter writer_;
};

Probe probe_user_events() {
  Probe tracefs = tracefs::probe_tracefs();
  if (!tracefs.available || TraceFolder::root().has("user_events_data")) return tracefs;
  utsname kernel;
  const bool known = ::uname(&kernel) == 0;
  return {.available = false,
          .reason = fmt::format("this kernel ({}) has no user_events: tracefs has no file "
                                "user_events_data",
                                known ? kernel.release : "of unknown version"),
          .remedy = "boot a kernel of version 6.4 or later, built with CONFIG_USER_EVENTS=y"};
}

class UserEventsSink : public SinkType {
 public:
  std::string name() const override { return "user_events"; }
  std::string description() const override { return kDescription; }
  OptionTable options() const override { return user_events::options(); }

  Capabilities capabilities(const Options&) const override {
    return {.read_back = true,
            .live_read = true,
            .accounts_losses = true,
            .survives = Survives::kill,
            .may_refuse = true,
            .no_stacks = "not tried: the kernel option userstacktrace may do it"};
  }

  Probe probe(const Options&) const override { return probe_user_events(); }

  // The instances first: an event cannot be deleted while an instance has it enabled.
  void sweep() const override {
    if (!probe_user_events().available) return;
    const TraceFolder root = TraceFolder::root();
    tracefs::sweep_instances(root);
    sweep_events(root);
  }

  std::unique_ptr<Session> make_session(const TrialContext& context) const override {
    return std::make_unique<UserEventsSession>(context);
  }
  std::unique_ptr<Provider> open_provider(const TrialContext& context) const override {
    return std::make_unique<UserEventsProvider>(
        tracefs::open_instance(context.directory),
        event_name(tracefs::trial_instance(context.directory)));
  }
  std::unique_ptr<Consumer> open_consumer(const TrialContext& context) const override {
    const TraceFolder instance = tracefs::open_instance(context.directory);
    const std::string name = event_name(tracefs::trial_instance(context.directory));
    return std::make_unique<tracefs::RingConsumer>(instance, format_of(instance, name));
  }
};

}  // namespace
}  // namespace tailgate::user_events

namespace tailgate {

std::unique_ptr<const SinkType> make_user_events_sink(const SinkCatalog&) {
  return std::make_unique<user_events::UserEventsSink>();
}

}  // namespace tailgate
