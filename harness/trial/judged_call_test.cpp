#include "harness/trial/judged_call.h"

#include <catch2/catch.hpp>

namespace tailgate {
namespace {

constexpr std::uint64_t kOneUs = 1'000;
constexpr std::uint64_t kOneMs = 1'000'000;

// A call that took all of the time since the check before.
Since since(CallKind kind, std::uint64_t away_ns, std::uint64_t service_ns) {
  return {.kind = kind,
          .away_ns = away_ns,
          .now_ns = 40 * kOneMs + service_ns,
          .checked_ns = 40 * kOneMs};
}

TEST_CASE("a call is stolen where the hypervisor took more than a fifth of it") {
  const JudgedCall more =
      judge_call(since(CallKind::stolen, 21 * kOneUs, 100 * kOneUs), 100 * kOneUs);
  CHECK(more.kind == CallKind::stolen);
  CHECK(more.ran_us == 0);
  const JudgedCall fifth =
      judge_call(since(CallKind::stolen, 20 * kOneUs, 100 * kOneUs), 100 * kOneUs);
  CHECK(fifth.kind == CallKind::unremarkable);
  // Switched out besides: the share does not matter.
  CHECK(judge_call(since(CallKind::preempted, 20 * kOneUs, 100 * kOneUs), 100 * kOneUs).ran_us ==
        80);
  CHECK(judge_call(since(CallKind::blocked, 90 * kOneUs, 100 * kOneUs), 100 * kOneUs).kind ==
        CallKind::blocked);
}

TEST_CASE("what the hypervisor took long before a call is not the call's") {
  Since long_ago = since(CallKind::stolen, 90 * kOneUs, 100 * kOneUs);
  long_ago.checked_ns -= 4 * kOneMs;
  CHECK(judge_call(long_ago, 100 * kOneUs).kind == CallKind::stolen);
  long_ago.checked_ns -= 2 * kOneMs;
  CHECK(judge_call(long_ago, 100 * kOneUs).kind == CallKind::unremarkable);
}

TEST_CASE("a call that ran for longer than a stall is the sink's own, whatever interrupted it") {
  for (const CallKind kind : {CallKind::stolen, CallKind::preempted}) {
    CHECK(judge_call(since(kind, 9 * kOneMs, 10 * kOneMs), 10 * kOneMs).kind == kind);
    CHECK(judge_call(since(kind, 9 * kOneMs, 10 * kOneMs + kOneUs), 10 * kOneMs + kOneUs).kind ==
          CallKind::unremarkable);
  }
}

}  // namespace
}  // namespace tailgate
