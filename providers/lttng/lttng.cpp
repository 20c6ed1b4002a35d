// The lttng sink: LTTng-UST writes a program's events into per-CPU buffers, and a consumer daemon
// moves them to files. It is Linux' counterpart of Event Tracing for Windows.
#include "harness/sink/sink.h"

#include "providers/lttng/consumer.h"
#include "providers/lttng/options.h"
#include "providers/lttng/tracer.h"
#include "providers/shared/sessions/own_sessions.h"

namespace tailgate {
namespace {

class LttngSink : public SinkType {
 public:
  std::string name() const override { return "lttng"; }
  std::string description() const override { return lttng_detail::kDescription; }

  OptionTable options() const override { return lttng_detail::options(); }

  // The events are in memory shared with the consumer daemon, which reads on after the program's
  // death. But a call that the death cuts short leaves an unfinished event, and LTTng hands on no
  // sub-buffer that has one: so survival is not declared.
  Capabilities capabilities(const Options& options) const override {
    return {.read_back = true,
            .live_read = options.text("output") != "snapshot" && !lttng_detail::wraps(options),
            .accounts_losses = true,
            .deferred_work = true,
            // With buffers of each process, the trace has a folder for each.
            .multi_process = options.text("buffers") == "uid",
            // The relay daemon of a live session, and the snapshot, are of one session.
            .multi_session = options.text("output") == "file",
            // Which session the overwritten events are of, their packets do not tell.
            .own_sessions =
                options.text("output") == "file" && lttng_detail::loss_mode(options) != "overwrite",
            .multi_consumer = options.text("output") == "file",
            .no_stacks = "the session daemon refuses callstack-user for events of a program"};
  }

  Probe probe(const Options&) const override { return lttng_detail::probe_tracer(); }

  std::unique_ptr<Session> make_session(const TrialContext& context) const override {
    return lttng_detail::make_session(context);
  }
  std::unique_ptr<Provider> open_provider(const TrialContext& context) const override {
    return lttng_detail::open_provider(context);
  }
  std::unique_ptr<Consumer> open_consumer(const TrialContext& context) const override {
    const bool overwrites = lttng_detail::loss_mode(context.options) == "overwrite";
    if (!context.own_sessions) {
      return std::make_unique<lttng_detail::TraceConsumer>(context, context.session, overwrites);
    }
    std::vector<std::unique_ptr<Consumer>> all;
    for (unsigned i = 0; i < context.sessions; ++i) {
      all.push_back(std::make_unique<lttng_detail::TraceConsumer>(context, i, overwrites));
    }
    return std::make_unique<OwnConsumers>(std::move(all));
  }
};

}  // namespace

std::unique_ptr<const SinkType> make_lttng_sink(const SinkCatalog&) {
  return std::make_unique<LttngSink>();
}

}  // namespace tailgate
