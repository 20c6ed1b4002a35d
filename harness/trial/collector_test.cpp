#include "harness/trial/collector.h"

#include <catch2/catch.hpp>

using namespace tailgate;

namespace {

// The memory of a closed loop that finished 5 calls, 2 of them in the warm-up, and recorded so
// many.
TrialMemory killed(std::uint64_t recorded, std::uint64_t pending_service_ns) {
  TrialPlan plan;
  plan.load.shape = Shape::max;
  TrialMemory memory = TrialMemory::create(plan);
  memory.thread(0).finished = 5;
  memory.thread(0).unrecorded = 2;
  memory.thread(0).pending_service_ns = pending_service_ns;
  HistogramWriter service(memory.layout(), memory.words(0, Metric::service));
  for (std::uint64_t i = 0; i < recorded; ++i) service.record(100);
  return memory;
}

}  // namespace

TEST_CASE("a call that was pending when the provider was killed is recorded once") {
  TrialMemory memory = killed(2, 701);
  record_pending_calls(memory);
  record_pending_calls(memory);
  CHECK(merged(memory, Metric::service).total_count() == 3);
  CHECK(merged(memory, Metric::service).max() == 700);
}

TEST_CASE("a pending call that is recorded already, or none, changes nothing") {
  struct Case {
    std::uint64_t recorded;
    std::uint64_t pending_service_ns;
  };
  for (const Case& given : {Case{3, 701}, Case{2, 0}}) {
    TrialMemory memory = killed(given.recorded, given.pending_service_ns);
    const std::uint64_t before = merged(memory, Metric::service).total_count();
    record_pending_calls(memory);
    CHECK(merged(memory, Metric::service).total_count() == before);
  }
}
