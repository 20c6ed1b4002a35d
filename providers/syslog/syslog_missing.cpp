#include "harness/base/error.h"
#include "providers/syslog/syslog.h"

namespace tailgate {
namespace {

constexpr const char* kReason = "this operating system has no syslog";
constexpr const char* kRemedy = "run on Linux, with rsyslog installed";

class SyslogMissing : public SinkType {
 public:
  std::string name() const override { return "syslog"; }
  std::string description() const override { return "rsyslogd (not on this operating system)"; }
  OptionTable options() const override { return syslog_options(); }
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

const SinkType& syslog_sink() {
  static const SyslogMissing sink;
  return sink;
}

}  // namespace tailgate
