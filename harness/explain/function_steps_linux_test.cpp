// The kernel's functions of calls that are known to make two system calls. Needs root.
#include <catch2/catch.hpp>

#include <unistd.h>

#include <set>
#include <string>
#include <vector>

#include "harness/explain/test_traced_calls.h"

namespace tailgate::activity {
namespace {

// Every tenth call writes into a pipe. Kernels that refuse the function tracer say so.
TEST_CASE("the kernel's functions in slow calls are named and lie in the calls' time") {
  if (skipped()) return;
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  std::vector<char> block(4096);
  const Explanation explanation = explain_calls(
      [&](int i) {
        if (i % 10 != 0) return;
        REQUIRE(::write(ends[1], block.data(), block.size()) > 0);
        REQUIRE(::read(ends[0], block.data(), block.size()) > 0);
      },
      {.quantile = 0.95, .functions = true});
  ::close(ends[0]);
  ::close(ends[1]);
  const ExplainedTail& slow = tail(explanation, "service");
  INFO(explanation.trace.limits);
  if (!slow.functions) {
    CHECK(explanation.trace.limits.find("function tracer cannot be used") != std::string::npos);
    return;
  }
  std::set<std::string> names;
  for (const ExplainedCall& call : explanation.calls) {
    if (!call.functions) continue;
    for (const FunctionStep& step : call.functions->steps) names.insert(step.name);
  }
  CHECK(names.contains("pipe_write"));
  CHECK(names.contains("pipe_read"));
  std::uint64_t sum_ns = slow.functions->left_out_ns;
  for (const FunctionTime& one : slow.functions->functions) sum_ns += one.time_ns;
  CHECK(sum_ns <= slow.time_ns);
  CHECK(sum_ns > slow.time_ns / 10);
  for (const ExplainedCall& call : explanation.calls) {
    if (!call.functions) continue;
    std::uint64_t at_ns = call.start_ns;
    for (const FunctionStep& step : call.functions->steps) {
      CHECK(step.start_ns >= at_ns);
      at_ns = step.end_ns;
    }
    CHECK(at_ns <= call.end_ns);
  }
}

}  // namespace
}  // namespace tailgate::activity
