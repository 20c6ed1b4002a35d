#include "providers/spdlog/logger.h"

namespace tailgate::spdlog_detail {
namespace {

constexpr const char* kReason = "this tailgate was built without spdlog";
constexpr const char* kRemedy = "install libspdlog-dev, configure and build again";

}  // namespace

Probe probe_library() {
  return {.available = false, .reason = kReason, .remedy = kRemedy};
}

std::string library_version() {
  return "";
}

std::unique_ptr<Provider> open_logger(const TrialContext&, const std::filesystem::path&) {
  throw Error(std::string("the spdlog sink is not available: ") + kReason, kRemedy);
}

}  // namespace tailgate::spdlog_detail
