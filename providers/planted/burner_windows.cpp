#include "harness/base/error.h"
#include "providers/planted/burner.h"

namespace tailgate {
namespace {

[[noreturn]] void refuse() {
  throw Error("tailgate cannot plant a daemon on Windows",
              "leave plant_daemon and plant_daemon_ns out");
}

}  // namespace

bool burner_available() {
  return false;
}

WorkCounter::WorkCounter(const std::filesystem::path&) {
  refuse();
}

WorkCounter::~WorkCounter() = default;

Burner::Burner(const std::filesystem::path&, std::uint64_t) {
  refuse();
}

void Burner::stop() {}

}  // namespace tailgate
