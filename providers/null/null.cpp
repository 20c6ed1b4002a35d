#include "providers/null/null.h"

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
  Capabilities capabilities(const Options&) const override { return {}; }
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

const SinkType& null_sink() {
  static const NullSink sink;
  return sink;
}

}  // namespace tailgate
