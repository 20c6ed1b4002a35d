#include "harness/result/sample_duet.h"

#include <cmath>
#include <random>

#include "harness/result/latency.h"

namespace tailgate {
namespace {

constexpr std::uint64_t kDuetEvents = 20'000;
constexpr int kPoints = 1000;
constexpr double kTailFrom = 0.985;

// The logarithm of the times has a logistic distribution around 2 us: 20 calls at each of 1000
// quantiles.
Latency times(double level, double tail) {
  Histogram histogram{HistogramRange()};
  for (int point = 0; point < kPoints; ++point) {
    const double quantile = (point + 0.5) / kPoints;
    const double logit = std::log(quantile / (1 - quantile));
    const double factor = level * (quantile >= kTailFrom ? tail : 1);
    histogram.record(static_cast<std::uint64_t>(2000 * factor * std::exp(0.1 * logit)),
                     kDuetEvents / kPoints);
  }
  return make_latency(histogram);
}

DuetSide side(double level, double tail, double cpu, double memory) {
  DuetSide side;
  side.outcome = TrialOutcome::completed;
  side.events = kDuetEvents;
  side.dropped = 1000;
  side.service = times(level, tail);
  side.response = side.service;
  side.raw_service = side.service;
  side.raw_response = side.service;
  side.trimmed_mean_ns = 2000 * level;
  side.stalled_ns = 0;
  side.slow_running = 0;
  side.slow_running_ns = 0;
  side.cpu_events = kDuetEvents;
  side.spun_ns = 900'000'000;
  side.cpu_ns = side.spun_ns + static_cast<std::uint64_t>(kDuetEvents * 2500 * level * cpu);
  side.rss_bytes = static_cast<std::uint64_t>(8e6 * memory);
  side.ledger.checked = true;
  side.ledger.emitted = kDuetEvents;
  side.ledger.delivered = kDuetEvents;
  side.achieved_rate_hz = 20'000;
  side.carry_over = 0.002;
  return side;
}

DuetSubject subject() {
  DuetSubject subject;
  subject.label = "file";
  subject.build = {"0.1.0", "0123456789ab", false, "GNU 12.2.0", "-O3", "Release"};
  subject.sink = {"file", "file", {{"mode", "write"}}, true, true, true, false, Survives::kill};
  subject.scenario = {"steady", "", {{"rate_hz", "20000"}}};
  subject.load.shape = Shape::steady;
  subject.load.rate_hz = subject.load.end_rate_hz = 20'000;
  subject.load.payload = "128";
  subject.load.warmup_s = 0.04;
  subject.load.duration_s = 1;
  subject.load.pacing = Pacing::hybrid;
  subject.load.seed = 1;
  return subject;
}

// Builds everything except the rounds.
Duet heading(const SampleDuet& sample) {
  Duet duet;
  duet.id = "00112233445566ff";
  duet.started_utc = "2025-01-02T03:04:05Z";
  duet.finished_utc = "2025-01-02T03:04:15Z";
  duet.complete = true;
  duet.a = subject();
  duet.b = subject();
  duet.placement = {{1}, {0}, {0}};
  duet.machine.fingerprint = "abcdef012345";
  duet.machine.os = "Debian GNU/Linux 12";
  duet.machine.logical_cpus = 2;
  duet.build = duet.a.build;
  duet.clock.kind = "tsc";
  duet.clock.frequency_hz = 2e9;
  duet.seed = sample.seed;
  duet.planned_rounds = sample.rounds;
  duet.turn_ns = 20'000'000;
  duet.turns = 50;
  duet.warmup_turns = 2;
  duet.dropped_per_turn = 20;
  duet.drain = "none";
  duet.classified = "switches";
  return duet;
}

}  // namespace

Duet sample_duet(const SampleDuet& sample) {
  std::mt19937_64 random(sample.seed);
  std::normal_distribution<double> normal(0, sample.spread);
  std::student_t_distribution<double> heavy(2);
  Duet duet = heading(sample);
  for (unsigned index = 0; index < sample.rounds; ++index) {
    DuetRound& round = duet.rounds.emplace_back();
    round.index = index;
    round.a_started_first = index % 2 == 0;
    for (int pair = 0; pair < 25; ++pair) round.turn_order += "ABBA";
    round.started_utc = "2025-01-02T03:04:05Z";
    round.duration_ns = 2'300'000'000;
    const double mood = std::exp(10 * normal(random));
    const double ratio = std::exp(sample.heavy ? sample.spread * heavy(random) : normal(random));
    round.a = side(mood, 1, 1, 1);
    round.b = side(mood * ratio * sample.all, sample.tail, sample.cpu, sample.memory);
  }
  return duet;
}

}  // namespace tailgate
