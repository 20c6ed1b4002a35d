#include "harness/stats/step_down.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>

namespace tailgate {
namespace {

// Sums that are equal in exact arithmetic may differ in their last bits, by the order of adding.
// Within this they count as equal, which can only make a p value larger.
constexpr double kTie = 1e-9;

double share(std::ptrdiff_t count, const std::vector<double>& statistics) {
  return static_cast<double>(count) / static_cast<double>(statistics.size());
}

}  // namespace

double share_at_least(const std::vector<double>& statistics, double bound) {
  return share(std::count_if(statistics.begin(), statistics.end(),
                             [&](double value) { return value >= bound - kTie; }),
               statistics);
}

double share_at_most(const std::vector<double>& statistics, double bound) {
  return share(std::count_if(statistics.begin(), statistics.end(),
                             [&](double value) { return value <= bound + kTie; }),
               statistics);
}

// Each metric is compared with the largest statistic among itself and all metrics of smaller
// statistics. No metric gets a p value below that of a metric with a larger statistic.
std::vector<double> step_down(const std::vector<std::vector<double>>& statistics) {
  std::vector<double> adjusted(statistics.size());
  if (statistics.empty()) return adjusted;
  std::vector<std::size_t> order(statistics.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return statistics[a].front() < statistics[b].front();
  });
  std::vector<double> largest(statistics.front().size(), std::numeric_limits<double>::lowest());
  for (const std::size_t metric : order) {
    for (std::size_t i = 0; i < largest.size(); ++i) {
      largest[i] = std::max(largest[i], statistics[metric][i]);
    }
    adjusted[metric] = share_at_least(largest, statistics[metric].front());
  }
  double least = 0;
  for (auto metric = order.rbegin(); metric != order.rend(); ++metric) {
    least = std::max(least, adjusted[*metric]);
    adjusted[*metric] = least;
  }
  return adjusted;
}

}  // namespace tailgate
