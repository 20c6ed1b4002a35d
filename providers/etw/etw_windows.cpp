#include "providers/etw/etw.h"

#include "harness/activity/kernel_trace_windows.h"
#include "providers/etw/kernel_trace_windows.h"
#include "providers/etw/options.h"
#include "providers/etw/roles.h"

namespace tailgate {
namespace {

class EtwSink : public SinkType {
 public:
  // Whoever knows the sinks can explain their slow calls.
  EtwSink() { activity::offer_kernel_trace({etw::start_kernel_trace, etw::probe_kernel_trace}); }

  std::string name() const override { return "etw"; }
  std::string description() const override {
    return "Event Tracing for Windows: self-describing events, a session of our own";
  }

  OptionTable options() const override { return etw::options(); }

  // A circular file and buffers in memory overwrite their oldest events and count them nowhere; the
  // session's count of lost events has not been checked on a real Windows machine.
  Capabilities capabilities(const Options& options) const override {
    const std::string& mode = options.text("mode");
    const bool delivers = mode != "unlistened" && options.text("level") != "warning";
    return {.read_back = delivers,
            .live_read = delivers && mode == "realtime",
            .accounts_losses = mode != "circular" && mode != "memory",
            .asynchronous = true,
            .deferred_work = mode != "unlistened",
            .may_refuse = true};
  }

  Probe probe(const Options& options) const override { return etw::probe(options); }

  void sweep() const override { etw::sweep(); }

  std::unique_ptr<Session> make_session(const TrialContext& context) const override {
    return etw::make_session(context);
  }
  std::unique_ptr<Provider> open_provider(const TrialContext& context) const override {
    return etw::open_provider(context);
  }
  std::unique_ptr<Consumer> open_consumer(const TrialContext& context) const override {
    return context.options.text("mode") == "realtime" ? etw::open_live_consumer(context)
                                                      : etw::open_file_consumer(context);
  }
};

}  // namespace

const SinkType& etw_sink() {
  static const EtwSink sink;
  return sink;
}

}  // namespace tailgate
