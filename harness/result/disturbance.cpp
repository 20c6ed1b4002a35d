#include "harness/result/disturbance.h"

#include <array>
#include <map>
#include <optional>
#include <utility>

#include "harness/result/latency.h"

namespace tailgate {
namespace {

constexpr std::array kQuantiles = {0.5, 0.9, 0.99, 0.999};

// A trial and the traced trial paired with it.
using Pair = std::pair<const Trial*, const Trial*>;

std::map<unsigned, std::vector<Pair>> pairs_by_step(const Result& result) {
  std::map<unsigned, std::vector<Pair>> steps;
  for (const Trial& traced : result.traced) {
    if (traced.outcome != TrialOutcome::completed || traced.index >= result.trials.size()) continue;
    const Trial& trial = result.trials[traced.index];
    if (trial.outcome == TrialOutcome::completed) steps[trial.step].emplace_back(&trial, &traced);
  }
  return steps;
}

void merge(std::optional<Histogram>& all, const Latency& latency) {
  const Histogram histogram = decode_latency(latency);
  if (all) {
    all->add(histogram);
  } else {
    all = histogram;
  }
}

Disturbance compare(unsigned step, const std::vector<Pair>& pairs, const char* measure,
                    Latency Trial::*latency) {
  std::optional<Histogram> untraced;
  std::optional<Histogram> traced;
  for (const auto& [trial, with_trace] : pairs) {
    merge(untraced, trial->*latency);
    merge(traced, with_trace->*latency);
  }
  const auto trials = static_cast<unsigned>(pairs.size());
  Disturbance disturbance{step, measure, trials, trials, {}};
  for (const double quantile : kQuantiles) {
    disturbance.quantiles.push_back(
        {quantile, untraced->value_at_quantile(quantile), traced->value_at_quantile(quantile)});
  }
  return disturbance;
}

}  // namespace

std::vector<Disturbance> disturbances(const Result& result) {
  std::vector<Disturbance> all;
  for (const auto& [step, pairs] : pairs_by_step(result)) {
    all.push_back(compare(step, pairs, "service", &Trial::service));
    all.push_back(compare(step, pairs, "response", &Trial::response));
  }
  return all;
}

}  // namespace tailgate
