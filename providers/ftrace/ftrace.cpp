#include "providers/ftrace/ftrace.h"

#include "providers/ftrace/roles.h"

namespace tailgate {
namespace {

class FtraceSink : public SinkType {
 public:
  std::string name() const override { return "ftrace"; }
  std::string description() const override {
    return "the kernel's trace buffer: markers in a tracefs instance";
  }

  OptionTable options() const override {
    OptionTable table = {choice_option("mode", "raw",
                                       "raw: trace_marker_raw, events to 4064 bytes; text: "
                                       "trace_marker, to 4054",
                                       {"raw", "text"})};
    for (OptionSpec& spec : ftrace::buffer_options()) table.push_back(std::move(spec));
    return table;
  }

  Capabilities capabilities(const Options& options) const override {
    return {.read_back = true,
            .live_read = true,
            .accounts_losses = true,
            .may_refuse = true,
            .text_events = options.text("mode") == "text"};
  }

  Probe probe(const Options& options) const override { return ftrace::probe(options); }

  void sweep() const override { ftrace::sweep(); }

  std::unique_ptr<Session> make_session(const TrialContext& context) const override {
    return ftrace::make_session(context);
  }
  std::unique_ptr<Provider> open_provider(const TrialContext& context) const override {
    return ftrace::open_provider(context);
  }
  std::unique_ptr<Consumer> open_consumer(const TrialContext& context) const override {
    return ftrace::open_consumer(context);
  }
};

}  // namespace

const SinkType& ftrace_sink() {
  static const FtraceSink sink;
  return sink;
}

}  // namespace tailgate
