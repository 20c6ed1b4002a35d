// Sink "etw": Event Tracing for Windows. The provider writes self-describing events, the trial's
// own session writes them to a file, and tailgate's own reader reads that file.
#include "harness/sink/sink.h"

#include "providers/etw/options.h"
#include "providers/etw/roles.h"
#include "providers/shared/sessions/own_sessions.h"

namespace tailgate {
namespace {

class EtwSink : public SinkType {
 public:
  std::string name() const override { return "etw"; }
  std::string description() const override {
    return "Event Tracing for Windows: self-describing events, a session for each trial";
  }

  OptionTable options() const override { return etw::options(); }

  // A circular file and in-memory buffers overwrite their oldest events without counting them. For
  // the other modes the session counts lost events; that count has not been checked on a real
  // Windows machine.
  Capabilities capabilities(const Options& options) const override {
    const std::string& mode = options.text("mode");
    const bool delivers = etw::selects_events(options);
    // The kernel keeps the buffers of a session, but the process those of its private one.
    const bool kept = delivers && (mode == "file" || mode == "new_file" || mode == "realtime");
    return {
        .read_back = delivers,
        .live_read = delivers && mode == "realtime",
        .accounts_losses = mode != "circular" && mode != "capped" && mode != "memory",
        .asynchronous = true,
        .survives = kept ? Survives::kill : Survives::nothing,
        .deferred_work = mode != "unlistened",
        .may_refuse = true,
        .multi_process = mode != "private",
        .multi_session = etw::can_have_further(options),
        // Of one GUID, each session would get the events of all.
        .own_sessions = etw::can_have_further(options) && options.text("provider_guid").empty()};
  }

  Probe probe(const Options& options) const override { return etw::probe(options); }

  void sweep() const override { etw::sweep(); }

  std::unique_ptr<Session> make_session(const TrialContext& context) const override {
    if (context.own_sessions) return std::make_unique<OwnSessions>(context, etw::make_session);
    return etw::make_session(context);
  }
  std::unique_ptr<Provider> open_provider(const TrialContext& context) const override {
    return etw::open_provider(context.own_sessions ? context_of_own(context, context.process)
                                                   : context);
  }
  std::unique_ptr<Consumer> open_consumer(const TrialContext& context) const override {
    if (context.own_sessions) return open_own_consumers(context, etw::open_file_consumer);
    if (context.session != 0) {
      return etw::open_file_consumer(etw::context_of_further(context, context.session));
    }
    return context.options.text("mode") == "realtime" ? etw::open_live_consumer(context)
                                                      : etw::open_file_consumer(context);
  }
};

}  // namespace

std::unique_ptr<const SinkType> make_etw_sink(const SinkCatalog&) {
  return std::make_unique<EtwSink>();
}

}  // namespace tailgate
