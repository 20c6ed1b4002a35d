#include "harness/trial/judged_call.h"

#include <algorithm>

namespace tailgate {
namespace {

constexpr std::uint64_t kStolenPart = 5;  // of a call: one fifth

// A spinning thread notices each tick of the machine, and checks then. Ticks come sooner than this.
constexpr std::uint64_t kRecentNs = 5'000'000;

bool is_stolen(const Since& since, std::uint64_t service_ns) {
  const bool is_recent = since.now_ns - since.checked_ns <= service_ns + kRecentNs;
  return is_recent && since.away_ns > service_ns / kStolenPart;
}

}  // namespace

JudgedCall judge_call(const Since& since, std::uint64_t service_ns) {
  if (!lost_processor(since.kind)) return {.kind = since.kind};
  if (since.kind == CallKind::stolen && !is_stolen(since, service_ns)) return {};
  const std::uint64_t ran_ns = service_ns - std::min(service_ns, since.away_ns);
  if (ran_ns > kStallNs) return {};
  if (since.kind == CallKind::stolen) return {.kind = CallKind::stolen};
  return {.kind = CallKind::preempted, .ran_us = static_cast<std::uint16_t>(ran_ns / 1000)};
}

}  // namespace tailgate
