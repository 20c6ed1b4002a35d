#include "harness/gate/sample_duet.h"

#include <cmath>
#include <random>

#include "harness/result/latency.h"

namespace tailgate {
namespace {

constexpr std::uint64_t kEvents = 20'000;
constexpr int kPoints = 1000;
constexpr double kTailFrom = 0.985;

// A logistic spread around 2 us in the logarithm: 20 calls at each of 1000 quantiles.
Latency times(double level, double tail) {
  Histogram histogram{HistogramRange()};
  for (int point = 0; point < kPoints; ++point) {
    const double quantile = (point + 0.5) / kPoints;
    const double logit = std::log(quantile / (1 - quantile));
    const double factor = level * (quantile >= kTailFrom ? tail : 1);
    histogram.record(static_cast<std::uint64_t>(2000 * factor * std::exp(0.1 * logit)),
                     kEvents / kPoints);
  }
  return make_latency(histogram);
}

DuetSide side(double level, double tail, double cpu, double memory) {
  DuetSide side;
  side.outcome = kOutcomeCompleted;
  side.events = kEvents;
  side.dropped = 1000;
  side.service = times(level, tail);
  side.response = side.service;
  side.raw_service = side.service;
  side.raw_response = side.service;
  side.trimmed_mean_ns = 2000 * level;
  side.cpu_events = kEvents;
  side.spun_ns = 900'000'000;
  side.cpu_ns = side.spun_ns + static_cast<std::uint64_t>(kEvents * 2500 * level * cpu);
  side.rss_bytes = static_cast<std::uint64_t>(8e6 * memory);
  side.ledger.checked = true;
  side.ledger.emitted = kEvents;
  side.ledger.delivered = kEvents;
  side.achieved_rate_hz = 20'000;
  return side;
}

DuetSubject subject() {
  DuetSubject subject;
  subject.label = "file";
  subject.build.revision = "0123456789abcdef";
  subject.build.compiler = "GNU 12.2.0";
  subject.build.type = "Release";
  subject.sink.name = "file";
  subject.sink.label = "file";
  subject.scenario.name = "steady";
  subject.load.shape = "steady";
  subject.load.rate_hz = 20'000;
  subject.load.payload = "128";
  subject.load.duration_s = 1;
  return subject;
}

}  // namespace

Duet sample_duet(const SampleDuet& sample) {
  std::mt19937_64 random(sample.seed);
  std::normal_distribution<double> normal(0, sample.spread);
  std::student_t_distribution<double> heavy(2);
  Duet duet;
  duet.id = "sample";
  duet.complete = true;
  duet.a = subject();
  duet.b = subject();
  duet.machine.fingerprint = "0f0f0f0f";
  duet.machine.os = "Linux";
  duet.planned_rounds = sample.rounds;
  duet.classified = "switches";
  for (unsigned index = 0; index < sample.rounds; ++index) {
    DuetRound& round = duet.rounds.emplace_back();
    round.index = index;
    const double mood = std::exp(10 * normal(random));
    const double ratio = std::exp(sample.heavy ? sample.spread * heavy(random) : normal(random));
    round.a = side(mood, 1, 1, 1);
    round.b = side(mood * ratio * sample.all, sample.tail, sample.cpu, sample.memory);
  }
  return duet;
}

}  // namespace tailgate
