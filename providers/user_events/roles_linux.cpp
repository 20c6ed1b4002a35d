#include "providers/user_events/roles.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <optional>

#include "harness/base/error.h"
#include "providers/tracefs/buffer_options.h"
#include "providers/tracefs/ring_consumer.h"
#include "providers/tracefs/trace_session.h"
#include "providers/user_events/registration_linux.h"

namespace tailgate::user_events {
namespace {

using tracefs::TraceFolder;

std::string event_folder(const std::string& name) {
  return "events/user_events/" + name;
}

// Beside the instance it has the event registered, so that the instance can enable it before the
// provider runs and its format outlives the provider.
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
  // Deleting an event that is enabled fails; a failure here leaves it to the next run.
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

// The longest record that fits on a page, less its own header, the common fields and ours.
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

// One writev(2) an event, where the event is enabled.
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

}  // namespace

Probe probe() {
  Probe tracefs = tracefs::probe_tracefs();
  if (!tracefs.available || TraceFolder::root().has("user_events_data")) return tracefs;
  utsname kernel;
  const bool known = ::uname(&kernel) == 0;
  return {.available = false,
          .reason = fmt::format("this kernel ({}) has no user_events: tracefs holds no file "
                                "user_events_data",
                                known ? kernel.release : "of unknown version"),
          .remedy = "boot a kernel of version 6.4 or later, built with CONFIG_USER_EVENTS=y"};
}

// The instances first: an event that one of them has enabled cannot be deleted.
void sweep() {
  if (!probe().available) return;
  const TraceFolder root = TraceFolder::root();
  tracefs::sweep_instances(root);
  sweep_events(root);
}

OptionTable options() {
  return tracefs::buffer_options();
}

std::unique_ptr<Session> make_session(const TrialContext& context) {
  return std::make_unique<UserEventsSession>(context);
}

std::unique_ptr<Provider> open_provider(const TrialContext& context) {
  return std::make_unique<UserEventsProvider>(
      tracefs::open_instance(context.directory),
      event_name(tracefs::trial_instance(context.directory)));
}

std::unique_ptr<Consumer> open_consumer(const TrialContext& context) {
  const TraceFolder instance = tracefs::open_instance(context.directory);
  const std::string name = event_name(tracefs::trial_instance(context.directory));
  return std::make_unique<tracefs::RingConsumer>(instance, format_of(instance, name));
}

}  // namespace tailgate::user_events
