#include "harness/result/latency.h"
#include "harness/result/sample.h"

namespace tailgate {
namespace {

constexpr std::uint64_t kEvents = 19'000;  // of 20,000, 20 dropped in each of 50 slices

Latency calls_of(std::uint64_t call_ns, std::uint64_t stalls) {
  Histogram histogram{HistogramRange()};
  histogram.record(call_ns, kEvents - stalls);
  histogram.record(2'000'000, stalls);
  return make_latency(histogram);
}

DuetSide side_of(std::uint64_t call_ns, std::uint64_t stalls, std::uint64_t cpu_ns_per_event) {
  DuetSide side;
  side.outcome = kOutcomeCompleted;
  side.events = kEvents;
  side.dropped = 1'000;
  side.service = side.raw_service = calls_of(call_ns, stalls);
  side.response = side.raw_response = calls_of(call_ns + 50, stalls);
  side.trimmed_mean_ns = static_cast<double>(call_ns);
  side.blocked = side.slow = side.over_100us = side.over_1ms = stalls;
  side.spun_ns = 950'000'000;
  side.cpu_events = 20'000;
  side.cpu_ns = side.spun_ns + cpu_ns_per_event * side.cpu_events;
  side.rss_bytes = 10'485'760;
  side.ledger.checked = true;
  side.ledger.emitted = side.ledger.delivered = 20'800;
  side.achieved_rate_hz = 20'000;
  side.carry_over = 0.002;
  return side;
}

DuetSubject subject_of(const std::string& sink) {
  DuetSubject subject;
  subject.label = sink;
  subject.build = {"0.1.0", "0123456789ab", false, "GNU 12.2.0", "-O3", "Release"};
  subject.sink = {"file", sink, {{"mode", "write"}}, true, true, true, false};
  subject.scenario = {"steady", "", {{"rate_hz", "20000"}}};
  subject.load.shape = "steady";
  subject.load.rate_hz = subject.load.end_rate_hz = 20'000;
  subject.load.payload = "128";
  subject.load.warmup_s = 0.04;
  subject.load.duration_s = 1;
  subject.load.pacing = "hybrid";
  subject.load.seed = 1;
  return subject;
}

DuetRound round_of(unsigned index) {
  DuetRound round;
  round.index = index;
  round.a_started_first = index % 2 == 0;
  for (int pair = 0; pair < 25; ++pair) round.slice_order += "ABBA";
  round.started_utc = "2025-01-02T03:04:05Z";
  round.duration_ns = 2'300'000'000;
  const std::uint64_t a_ns = 1000 + index;
  round.a = side_of(a_ns, 0, 1000);
  round.b = side_of(a_ns * 11 / 10, index == 2 ? 1 : 0, 1200);
  return round;
}

}  // namespace

Duet sample_duet() {
  Duet duet;
  duet.id = "00112233445566ff";
  duet.started_utc = "2025-01-02T03:04:05Z";
  duet.finished_utc = "2025-01-02T03:04:15Z";
  duet.complete = true;
  duet.a = subject_of("file");
  duet.b = subject_of("file:mode=write");
  duet.placement = {{1}, {0}, {0}};
  duet.machine.fingerprint = "abcdef012345";
  duet.machine.os = "Debian GNU/Linux 12";
  duet.machine.logical_cpus = 2;
  duet.build = duet.a.build;
  duet.clock.kind = "tsc";
  duet.clock.frequency_hz = 2e9;
  duet.seed = 1;
  duet.planned_rounds = 4;
  duet.slice_ns = 20'000'000;
  duet.slices = 50;
  duet.warmup_slices = 2;
  duet.dropped_per_slice = 20;
  duet.drain = "none";
  duet.classified = "switches";
  for (unsigned index = 0; index < 4; ++index) duet.rounds.push_back(round_of(index));
  DuetRound& last = duet.rounds.back();
  last.b.outcome = "killed";
  last.b.outcome_detail = "the provider ended by signal 9 (Killed)";
  last.a.outcome = "interrupted";
  last.remarks.push_back(
      {"side B: killed: the provider ended by signal 9 (Killed)", "leave the round out"});
  return duet;
}

}  // namespace tailgate
