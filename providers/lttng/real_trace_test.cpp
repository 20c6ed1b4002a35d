// Compares libbabeltrace2 and tailgate's reader on traces that LTTng wrote, event for event.
#include <catch2/catch.hpp>

#include "providers/lttng/trace_comparison.h"
#include "providers/testing/sinks.h"
#include "providers/testing/stress_trial.h"

namespace tailgate {
namespace {

TEST_CASE("libbabeltrace2 reads real traces with the same result, with every setting") {
  const std::string sink =
      GENERATE("lttng", "lttng:buffers=pid", "lttng:output=live", "lttng:output=snapshot",
               "lttng:loss=overwrite", "lttng:subbuf_bytes=4096:subbuf_count=2");
  const SinkChoice choice = sink_choice(sink);
  const Probe probe = choice.type->probe(choice.options);
  if (!probe.available) {
    WARN("skipped: " << probe.reason << "; " << probe.remedy);
    return;
  }
  TrialSettings settings = stress_settings();
  settings.keep_files = true;
  LoadPlan load = stress_load(50'000, 0);
  load.events = 10'000;
  load.payload = parse_payload("200");
  const Scratch scratch({}, false);
  const Trial trial =
      run_trial(choice, load, settings, scratch.path() / "trial", [](const TrialProgress&) {});
  INFO(sink << ": " << describe(trial));
  CHECK(balanced(trial.ledger));
  CHECK(trial.ledger.delivered > 0);
  CHECK(compare_with_babeltrace(scratch.path() / "trial" / "sink" / "trace") ==
        trial.ledger.delivered);
}

}  // namespace
}  // namespace tailgate
