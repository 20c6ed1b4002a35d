// The null sink accepts every event and does nothing with it. A trial on it measures the harness
// alone: the measurement floor of every other figure.
#include "harness/sink/sink.h"

namespace tailgate {
namespace {

class NullProvider : public Provider {
 public:
  EmitStatus emit(unsigned, std::span<const std::byte>) noexcept override {
    return closed_ ? EmitStatus{1} : kAccepted;
  }
  std::vector<std::string> refusal_causes() const override { return {"closed"}; }
  void close() override { closed_ = true; }

 private:
  bool closed_ = false;
};

class NullSink : public SinkType {
 public:
  std::string name() const override { return "null"; }
  std::string description() const override {
    return "takes events and drops them: the harness's own cost";
  }
  OptionTable options() const override { return {}; }
  Capabilities capabilities(const Options&) const override {
    return {.multi_process = true, .multi_session = true, .own_sessions = true};
  }
  Probe probe(const Options&) const override { return {}; }

  std::unique_ptr<Session> make_session(const TrialContext&) const override {
    return std::make_unique<NoSession>();
  }
  std::unique_ptr<Provider> open_provider(const TrialContext&) const override {
    return std::make_unique<NullProvider>();
  }
  std::unique_ptr<Consumer> open_consumer(const TrialContext&) const override {
    throw Error("the null sink keeps no events to read back", "use --consume none");
  }
};

}  // namespace

std::unique_ptr<const SinkType> make_null_sink(const SinkCatalog&) {
  return std::make_unique<NullSink>();
}

}  // namespace tailgate
