// Modes of other operating systems. They are listed with the reason, so that a preset that names
// them loads everywhere.
#include "harness/base/error.h"
#include "providers/file/modes.h"

namespace tailgate::file {
namespace {

constexpr const char* kReason = "this operating system does not have this mode's system calls";
constexpr const char* kRemedy = "run Linux modes on Linux and Windows modes on Windows";

}  // namespace

Probe probe_other_system(const Options&) {
  return {.available = false, .reason = kReason, .remedy = kRemedy};
}

std::unique_ptr<Provider> open_other_system(const TrialContext& context,
                                            const std::filesystem::path&) {
  throw Error("mode " + context.options.text("mode") + " is not available: " + kReason, kRemedy);
}

}  // namespace tailgate::file
