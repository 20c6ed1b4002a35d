#include "harness/stats/counted_rates.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "harness/stats/distributions.h"

namespace tailgate {
namespace {

constexpr double kLeastTail = 1e-9;
constexpr double kMostTail = 0.5;
constexpr int kBisections = 40;

// The rounds among the first that counted on both sides.
struct Counted {
  std::vector<double> a;
  std::vector<double> b;
  Clusters clusters;  // numbered from 0
};

Counted counted(const CountRounds& counts, std::size_t rounds) {
  const bool valid = rounds > 0 && counts.a.size() >= rounds && counts.b.size() >= rounds &&
                     counts.exposure > 0 &&
                     (counts.clusters.empty() || counts.clusters.size() >= rounds);
  if (!valid) throw std::invalid_argument("counts: as many rounds on both sides, and an exposure");
  Counted found;
  Clusters clusters;
  for (std::size_t i = 0; i < rounds; ++i) {
    if (std::isnan(counts.a[i]) || std::isnan(counts.b[i])) continue;
    found.a.push_back(counts.a[i]);
    found.b.push_back(counts.b[i]);
    clusters.push_back(counts.clusters.empty() ? i : counts.clusters[i]);
  }
  found.clusters = numbered_clusters(clusters, clusters.size());
  return found;
}

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

// At least 1: counts vary by no less than chance makes them.
double dispersion(const Counted& counts, double ratio) {
  const auto rounds = static_cast<double>(counts.a.size());
  const double a = sum(counts.a) / rounds;
  const double b = sum(counts.b) / rounds;
  const double by_chance = b + ratio * ratio * a;
  const std::size_t clusters = count_clusters(counts.clusters, counts.clusters.size());
  if (clusters < 2 || by_chance <= 0) return 1;
  std::vector<double> off(clusters);
  std::vector<double> sizes(clusters);
  for (std::size_t i = 0; i < counts.a.size(); ++i) {
    off[counts.clusters[i]] += (counts.b[i] - b) - ratio * (counts.a[i] - a);
    ++sizes[counts.clusters[i]];
  }
  double squares = 0;
  for (std::size_t c = 0; c < clusters; ++c) squares += off[c] * off[c] / sizes[c];
  return std::max(1.0, squares / static_cast<double>(clusters - 1) / by_chance);
}

// The counts of both sides, in units of the dispersion.
struct Totals {
  double a;
  double b;
  double ratio;
  double exposure;  // likewise

  ExcessLimits limits(double tail) const {
    const double off_below = b - poisson_lower_limit(b, tail);
    const double off_above = poisson_upper_limit(b, tail) - b;
    const double a_below = ratio * (a - poisson_lower_limit(a, tail));
    const double a_above = ratio * (poisson_upper_limit(a, tail) - a);
    const double excess = b - ratio * a;
    return {(excess - std::hypot(off_below, a_above)) / exposure, excess / exposure,
            (excess + std::hypot(off_above, a_below)) / exposure};
  }
};

Totals totals_of(const CountRounds& counts, std::size_t rounds, double more) {
  const Counted found = counted(counts, rounds);
  if (found.a.empty()) throw std::invalid_argument("counts: none in any round");
  const double ratio = 1 + more;
  const double unit = dispersion(found, ratio);
  return {sum(found.a) / unit, sum(found.b) / unit, ratio,
          counts.exposure * static_cast<double>(found.a.size()) / unit};
}

// The smallest tail at which `excludes` holds, if it does at all: the smaller the tail the wider
// the limits.
template <class Excludes>
double smallest_tail(const Excludes& excludes) {
  if (!excludes(kMostTail)) return 1;
  double holds = std::log(kMostTail);
  double fails = std::log(kLeastTail);
  for (int i = 0; i < kBisections; ++i) {
    const double middle = (holds + fails) / 2;
    (excludes(std::exp(middle)) ? holds : fails) = middle;
  }
  return std::exp(holds);
}

}  // namespace

ExcessLimits excess_limits(const CountRounds& counts, std::size_t rounds, double more,
                           double tail) {
  if (!(tail > 0 && tail < kMostTail)) {
    throw std::invalid_argument("excess_limits: a tail above 0 and below 0.5");
  }
  return totals_of(counts, rounds, more).limits(tail);
}

CountTest count_test(const CountRounds& counts, std::size_t rounds, const CountMargin& margin) {
  const Totals totals = totals_of(counts, rounds, margin.more);
  const double excess = totals.limits(kLeastTail).estimate;
  CountTest test;
  if (excess < margin.extra) {
    test.p_beyond =
        smallest_tail([&](double tail) { return totals.limits(tail).high < margin.extra; });
  } else if (excess > margin.extra) {
    test.p_within =
        smallest_tail([&](double tail) { return totals.limits(tail).low > margin.extra; });
  }
  return test;
}

}  // namespace tailgate
