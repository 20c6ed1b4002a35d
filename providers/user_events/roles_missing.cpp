// Where there is no Linux: the sink is listed, with the reason.
#include "harness/base/error.h"
#include "providers/tracefs/buffer_options.h"
#include "providers/user_events/roles.h"

namespace tailgate::user_events {
namespace {

constexpr const char* kReason = "this operating system has no tracefs";
constexpr const char* kRemedy = "run on Linux";

[[noreturn]] void refuse() {
  throw Error(std::string("the user_events sink is not available: ") + kReason, kRemedy);
}

}  // namespace

Probe probe() {
  return {.available = false, .reason = kReason, .remedy = kRemedy};
}

void sweep() {}

OptionTable options() {
  return tracefs::buffer_options();
}

std::unique_ptr<Session> make_session(const TrialContext&) {
  refuse();
}

std::unique_ptr<Provider> open_provider(const TrialContext&) {
  refuse();
}

std::unique_ptr<Consumer> open_consumer(const TrialContext&) {
  refuse();
}

}  // namespace tailgate::user_events
