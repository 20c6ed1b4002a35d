// Where there is no Linux: the sink is listed, with the reason.
#include "harness/base/error.h"
#include "providers/ftrace/roles.h"
#include "providers/tracefs/buffer_options.h"

namespace tailgate::ftrace {
namespace {

constexpr const char* kReason = "this operating system has no tracefs";
constexpr const char* kRemedy = "run on Linux";

[[noreturn]] void refuse() {
  throw Error(std::string("the ftrace sink is not available: ") + kReason, kRemedy);
}

}  // namespace

Probe probe(const Options&) {
  return {.available = false, .reason = kReason, .remedy = kRemedy};
}

void sweep() {}

OptionTable buffer_options() {
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

}  // namespace tailgate::ftrace
