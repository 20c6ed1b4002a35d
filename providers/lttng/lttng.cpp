#include "providers/lttng/lttng.h"

#include "providers/lttng/consumer.h"
#include "providers/lttng/tracer.h"

namespace tailgate {
namespace lttng_detail {

std::filesystem::path trace_folder(const TrialContext& context) {
  return context.directory / "trace";
}

std::string loss_mode(const Options& options) {
  if (options.text("output") == "snapshot" && !options.given("loss")) return "overwrite";
  return options.text("loss");
}

}  // namespace lttng_detail

namespace {

class LttngSink : public SinkType {
 public:
  std::string name() const override { return "lttng"; }
  std::string description() const override {
    return "LTTng-UST: per-CPU buffers, with daemons of our own";
  }

  OptionTable options() const override {
    return {
        choice_option("buffers", "uid", "whose buffers: one set per user, or one per process",
                      {"uid", "pid"}),
        choice_option("loss", "discard",
                      "a full buffer: discards new events, overwrites the oldest, or blocks the "
                      "caller; a snapshot overwrites unless told otherwise",
                      {"discard", "overwrite", "block"}),
        {"subbuf_bytes", OptionType::integer, "512Ki",
         "size of a sub-buffer, of which each CPU has subbuf_count; a power of 2", 4096, 1 << 28},
        {"subbuf_count", OptionType::integer, "4", "sub-buffers per CPU; a power of 2", 2, 1 << 12},
        {"switch_timer_us", OptionType::integer, "100k",
         "file: hand over a sub-buffer that is not full after this time, 0: never; live: the live "
         "timer; a snapshot has none",
         0, 1e9},
        {"read_timer_us", OptionType::integer, "0",
         "the consumer daemon looks for full sub-buffers this often, 0: the program wakes it", 0,
         1e9},
        choice_option("output", "file",
                      "where full sub-buffers go: files; nowhere, until a snapshot of the buffers "
                      "at the end; through a relay daemon, as a live session",
                      {"file", "snapshot", "live"}),
    };
  }

  // Events lie in memory that the consumer daemon shares: killing the program loses none.
  Capabilities capabilities(const Options& options) const override {
    return {.read_back = true,
            .live_read = options.text("output") != "snapshot",
            .accounts_losses = lttng_detail::loss_mode(options) != "overwrite",
            .deferred_work = true};
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
    return std::make_unique<lttng_detail::TraceConsumer>(context, overwrites);
  }
};

}  // namespace

const SinkType& lttng_sink() {
  static const LttngSink sink;
  return sink;
}

}  // namespace tailgate
