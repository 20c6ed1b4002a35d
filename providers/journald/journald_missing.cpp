#include "harness/base/error.h"
#include "providers/journald/journald.h"

namespace tailgate {
namespace {

constexpr const char* kReason = "this tailgate was built without libsystemd";
constexpr const char* kRemedy = "on Linux, install libsystemd-dev and systemd, and build again";

class JournaldMissing : public SinkType {
 public:
  std::string name() const override { return "journald"; }
  std::string description() const override { return "systemd-journald (not in this build)"; }
  OptionTable options() const override { return journald_options(); }
  Capabilities capabilities(const Options&) const override { return {}; }
  Probe probe(const Options&) const override {
    return {.available = false, .reason = kReason, .remedy = kRemedy};
  }
  std::unique_ptr<Session> make_session(const TrialContext&) const override {
    throw Error(kReason, kRemedy);
  }
  std::unique_ptr<Provider> open_provider(const TrialContext&) const override {
    throw Error(kReason, kRemedy);
  }
  std::unique_ptr<Consumer> open_consumer(const TrialContext&) const override {
    throw Error(kReason, kRemedy);
  }
};

}  // namespace

const SinkType& journald_sink() {
  static const JournaldMissing sink;
  return sink;
}

}  // namespace tailgate
