#include "harness/gate/relabelling.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <string_view>
#include <vector>

#include "harness/gate/metrics.h"
#include "harness/gate/round_facts.h"

namespace tailgate {
namespace {

// A record states the rate. Without one a round is taken to be a second.
RoundLoad load_of(const CalibrationRun& run) {
  RoundLoad load{.calls = run.tail_events};
  constexpr std::string_view kRate = " rate_hz=";
  const std::size_t at = run.scenario.find(kRate);
  if (at == std::string::npos) return load;
  const double rate_hz = std::strtod(run.scenario.c_str() + at + kRate.size(), nullptr);
  if (rate_hz > 0) load.seconds = static_cast<double>(run.tail_events) / rate_hz;
  return load;
}

template <class Series>
const Series* named(const std::vector<Series>& all, const std::string& name) {
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const Series& series) { return series.name == name; });
  return found == all.end() ? nullptr : &*found;
}

// Of an exchanged round, what a coin decided for A holds for B.
std::vector<double> relabelled_fact(const FactSeries& fact, const std::vector<std::size_t>& places,
                                    const std::vector<bool>& exchanged) {
  std::vector<double> values;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const double value = fact.values[places[i]];
    values.push_back(exchanged[i] && is_coin(fact.name) ? 1 - value : value);
  }
  return values;
}

// The rounds at these places; `exchanged` says for each whether its sides are exchanged.
CalibrationRun relabel(const CalibrationRun& all, const std::vector<std::size_t>& places,
                       const std::vector<bool>& exchanged) {
  CalibrationRun run = all;
  for (std::size_t metric = 0; metric < all.metrics.size(); ++metric) {
    const MetricSeries& from = all.metrics[metric];
    MetricSeries& to = run.metrics[metric];
    to.a.clear();
    to.b.clear();
    for (std::size_t i = 0; i < places.size(); ++i) {
      const std::size_t place = places[i];
      to.a.push_back(exchanged[i] ? from.b[place] : from.a[place]);
      to.b.push_back(exchanged[i] ? from.a[place] : from.b[place]);
    }
  }
  for (std::size_t fact = 0; fact < all.facts.size(); ++fact) {
    run.facts[fact].values = relabelled_fact(all.facts[fact], places, exchanged);
  }
  return run;
}

}  // namespace

DuetSubject subject_of_run(const CalibrationRun& run) {
  std::istringstream words(run.scenario);
  std::string scenario;
  words >> scenario;
  DuetSubject subject = subject_named(scenario, run.sink);
  for (std::string word; words >> word;) {
    const std::size_t at = std::min(word.find('='), word.size() - 1);
    subject.scenario.options.push_back({word.substr(0, at), word.substr(at + 1)});
  }
  return subject;
}

MetricsDecision decisions_on(const CalibrationRun& run, const Policy& given) {
  const DuetSubject subject = subject_of_run(run);
  Policy policy = with_class_margins(given, run.fingerprint, subject);
  policy.waivers.clear();
  const std::size_t rounds = run.metrics.empty() ? 0 : run.metrics.front().a.size();
  return decide_metrics(run.metrics, load_of(run), recorded_coins(run.facts), {rounds}, subject,
                        policy);
}

RoundPool pool_of_equal(const Calibration& calibration, const std::string& sink,
                        const std::string& load) {
  RoundPool pool;
  for (const CalibrationRun& run : calibration.runs) {
    if (run.sink != sink || run.scenario != load) continue;
    if (run.planted != kPlantedNothing || run.metrics.empty()) continue;
    if (pool.rounds == 0) {
      pool.all = run;
      pool.rounds = run.metrics.front().a.size();
      continue;
    }
    std::erase_if(pool.all.metrics, [&](MetricSeries& series) {
      const MetricSeries* more = named(run.metrics, series.name);
      if (more == nullptr) return true;
      series.a.insert(series.a.end(), more->a.begin(), more->a.end());
      series.b.insert(series.b.end(), more->b.begin(), more->b.end());
      return false;
    });
    std::erase_if(pool.all.facts, [&](FactSeries& fact) {
      const FactSeries* more = named(run.facts, fact.name);
      if (more == nullptr) return true;
      fact.values.insert(fact.values.end(), more->values.begin(), more->values.end());
      return false;
    });
    pool.all.tail_events = std::min(pool.all.tail_events, run.tail_events);
    pool.rounds += run.metrics.front().a.size();
  }
  std::erase_if(pool.all.facts, [](const FactSeries& fact) { return is_of_one_duet(fact.name); });
  return pool;
}

CalibrationRun draw_gate(const RoundPool& pool, const Policy& policy, std::mt19937_64& random) {
  std::vector<std::size_t> places(pool.rounds);
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = i;
  std::shuffle(places.begin(), places.end(), random);
  places.resize(std::min(policy.looks.rounds.back(), pool.rounds));
  std::vector<bool> exchanged;
  for (std::size_t i = 0; i < places.size(); ++i) exchanged.push_back(random() >> 63 != 0);
  return relabel(pool.all, places, exchanged);
}

void lay_out(double spread, std::mt19937_64& random, CalibrationRun& run) {
  if (spread == 0 || run.metrics.empty()) return;
  std::normal_distribution<double> logarithm(0, spread);
  std::array<double, kClassLayouts> factors;
  for (double& factor : factors) factor = std::exp(logarithm(random));
  FactSeries& pairs = run.facts.emplace_back();
  pairs.name = kLayoutPairFact;
  for (std::size_t round = 0; round < run.metrics.front().b.size(); ++round) {
    pairs.values.push_back(static_cast<double>(round % kClassLayouts));
  }
  for (MetricSeries& series : run.metrics) {
    const MetricKind* kind = find_metric(series.name);
    if (kind == nullptr || kind->unit != "ns") continue;
    for (std::size_t round = 0; round < series.b.size(); ++round) {
      series.b[round] *= factors[round % kClassLayouts];
    }
  }
}

void worsen(const std::string& metric, double by, CalibrationRun& run) {
  for (MetricSeries& series : run.metrics) {
    if (series.name != metric) continue;
    for (double& value : series.b) value *= 1 + by;
  }
}

void add_stalls(const PlantedStall& stall, std::mt19937_64& random, CalibrationRun& run) {
  if (run.metrics.empty()) return;
  const RoundLoad load = load_of(run);
  std::poisson_distribution<int> stalls_of_round(load.seconds / stall.every_s);
  std::vector<double> calls;  // of 20,000, as the metrics count them
  for (std::size_t round = 0; round < run.metrics.front().b.size(); ++round) {
    calls.push_back(stalls_of_round(random) * kCallsPerCount / static_cast<double>(load.calls));
  }
  for (MetricSeries& series : run.metrics) {
    const bool in_time = series.name == "stalled_ms";
    if (!in_time && series.name != "calls_over_100us" && series.name != "calls_over_1ms") continue;
    for (std::size_t round = 0; round < calls.size(); ++round) {
      series.b[round] += calls[round] * (in_time ? stall.length_ms : 1);
    }
  }
}

}  // namespace tailgate
