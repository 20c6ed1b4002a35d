#include "harness/base/error.h"
#include "providers/lttng/tracer.h"

namespace tailgate::lttng_detail {
namespace {

constexpr const char* kReason = "this tailgate was built without LTTng";
constexpr const char* kRemedy =
    "install lttng-tools, liblttng-ctl-dev and liblttng-ust-dev, configure and build again";

[[noreturn]] void refuse() {
  throw Error(std::string("the lttng sink is not available: ") + kReason, kRemedy);
}

}  // namespace

Probe probe_tracer() {
  return {.available = false, .reason = kReason, .remedy = kRemedy};
}

std::unique_ptr<Session> make_session(const TrialContext&) {
  refuse();
}

std::unique_ptr<Provider> open_provider(const TrialContext&) {
  refuse();
}

}  // namespace tailgate::lttng_detail
