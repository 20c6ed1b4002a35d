#include "harness/trial/judged_call.h"

#include <catch2/catch.hpp>

namespace tailgate {
namespace {

constexpr std::uint64_t kUs = 1'000;
constexpr std::uint64_t kMs = 1'000'000;

// A call that took all of the time since the check before.
Since since(CallKind kind, std::uint64_t away_ns, std::uint64_t service_ns) {
  return {
      .kind = kind, .away_ns = away_ns, .now_ns = 40 * kMs + service_ns, .checked_ns = 40 * kMs};
}

TEST_CASE("a call is stolen where the hypervisor took more than half of it") {
  const JudgedCall most = judge_call(since(CallKind::stolen, 90 * kUs, 100 * kUs), 100 * kUs);
  CHECK(most.kind == CallKind::stolen);
  CHECK(most.ran_us == 10);
  const JudgedCall half = judge_call(since(CallKind::stolen, 50 * kUs, 100 * kUs), 100 * kUs);
  CHECK(half.kind == CallKind::unremarkable);
  CHECK(half.ran_us == 0);
  // Switched out besides: the share does not matter.
  CHECK(judge_call(since(CallKind::preempted, 50 * kUs, 100 * kUs), 100 * kUs).ran_us == 50);
  CHECK(judge_call(since(CallKind::blocked, 90 * kUs, 100 * kUs), 100 * kUs).kind ==
        CallKind::blocked);
}

TEST_CASE("what the hypervisor took long before a call is not the call's") {
  Since long_ago = since(CallKind::stolen, 90 * kUs, 100 * kUs);
  long_ago.checked_ns -= 4 * kMs;
  CHECK(judge_call(long_ago, 100 * kUs).kind == CallKind::stolen);
  long_ago.checked_ns -= 2 * kMs;
  CHECK(judge_call(long_ago, 100 * kUs).kind == CallKind::unremarkable);
}

TEST_CASE("a call that ran for longer than a stall is the sink's own, whatever interrupted it") {
  for (const CallKind kind : {CallKind::stolen, CallKind::preempted}) {
    CHECK(judge_call(since(kind, 9 * kMs, 10 * kMs), 10 * kMs).ran_us == 1000);
    CHECK(judge_call(since(kind, 9 * kMs, 10 * kMs + kUs), 10 * kMs + kUs).kind ==
          CallKind::unremarkable);
  }
}

}  // namespace
}  // namespace tailgate
