// Mode io_uring in a build without liburing.
#include "harness/base/error.h"
#include "providers/file/modes.h"

namespace tailgate::file {
namespace {

constexpr const char* kReason = "this tailgate was built without liburing";
constexpr const char* kRemedy = "install liburing-dev, configure and build again";

}  // namespace

Probe probe_io_uring(const Options&) {
  return {.available = false, .reason = kReason, .remedy = kRemedy};
}

std::unique_ptr<Provider> open_io_uring(const TrialContext&, const std::filesystem::path&) {
  throw Error(std::string("mode io_uring is not available: ") + kReason, kRemedy);
}

}  // namespace tailgate::file
