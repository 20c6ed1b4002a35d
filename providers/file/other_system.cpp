// Modes of operating systems other than this one: listed with the reason, so that a preset which
// names them loads everywhere.
#include "harness/base/error.h"
#include "providers/file/modes.h"

namespace tailgate::file {
namespace {

constexpr const char* kReason = "this operating system has no such calls";
constexpr const char* kRemedy = "run on Linux for Linux' modes, on Windows for those of Windows";

}  // namespace

Probe probe_other_system(const Options&) {
  return {.available = false, .reason = kReason, .remedy = kRemedy};
}

std::unique_ptr<Provider> open_other_system(const TrialContext& context,
                                            const std::filesystem::path&) {
  throw Error("mode " + context.options.text("mode") + " is not available: " + kReason, kRemedy);
}

}  // namespace tailgate::file
