#include "providers/user_events/user_events.h"

#include "providers/user_events/roles.h"

namespace tailgate {
namespace {

class UserEventsSink : public SinkType {
 public:
  std::string name() const override { return "user_events"; }
  std::string description() const override {
    return "the kernel's trace buffer: an event that the program registers";
  }

  OptionTable options() const override { return user_events::options(); }

  Capabilities capabilities(const Options&) const override {
    return {.read_back = true, .live_read = true, .accounts_losses = true, .may_refuse = true};
  }

  Probe probe(const Options&) const override { return user_events::probe(); }

  void sweep() const override { user_events::sweep(); }

  std::unique_ptr<Session> make_session(const TrialContext& context) const override {
    return user_events::make_session(context);
  }
  std::unique_ptr<Provider> open_provider(const TrialContext& context) const override {
    return user_events::open_provider(context);
  }
  std::unique_ptr<Consumer> open_consumer(const TrialContext& context) const override {
    return user_events::open_consumer(context);
  }
};

}  // namespace

const SinkType& user_events_sink() {
  static const UserEventsSink sink;
  return sink;
}

}  // namespace tailgate
