// Sink "eventlog": the Windows Event Log. The session registers a source (and a log) and removes
// them again, the provider calls the classic ReportEvent, and the consumer reads with the newer Evt
// functions.
#include "harness/sink/sink.h"

#include "providers/eventlog/options.h"
#include "providers/eventlog/roles.h"

namespace tailgate {
namespace {

class EventlogSink : public SinkType {
 public:
  std::string name() const override { return "eventlog"; }
  std::string description() const override {
    return "the Windows Event Log: ReportEvent, read back by record number";
  }

  OptionTable options() const override { return eventlog::options(); }

  // A log that overwrites its oldest events does not count them.
  Capabilities capabilities(const Options& options) const override {
    const bool keeps = options.text("log") == "own" && options.text("when_full") == "refuse";
    return {.read_back = true,
            .live_read = true,
            .accounts_losses = keeps,
            .survives = Survives::kill,
            .deferred_work = true,
            .may_refuse = true};
  }

  Probe probe(const Options& options) const override { return eventlog::probe(options); }

  void sweep() const override { eventlog::sweep(); }

  std::unique_ptr<Session> make_session(const TrialContext& context) const override {
    return eventlog::make_session(context);
  }
  std::unique_ptr<Provider> open_provider(const TrialContext& context) const override {
    return eventlog::open_provider(context);
  }
  std::unique_ptr<Consumer> open_consumer(const TrialContext& context) const override {
    return eventlog::open_consumer(context);
  }
};

}  // namespace

std::unique_ptr<const SinkType> make_eventlog_sink(const SinkCatalog&) {
  return std::make_unique<EventlogSink>();
}

}  // namespace tailgate
