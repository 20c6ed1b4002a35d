#include "harness/stats/trend.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>

#include "harness/stats/distributions.h"

namespace tailgate {
namespace {

constexpr std::size_t kLeastOfBlock = 3;
constexpr double kMostKept = 0.99;       // of a point by the next one
constexpr double kAsGoodAsNormal = 1e6;  // degrees of freedom of Student's t

bool ascends(const std::vector<Point>& points) {
  return std::adjacent_find(points.begin(), points.end(), [](const Point& a, const Point& b) {
           return a.x >= b.x;
         }) == points.end();
}

double median_of_sorted(const std::vector<double>& sorted) {
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

void add_slopes(const std::vector<Point>& points, std::vector<double>& slopes) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = i + 1; j < points.size(); ++j) {
      slopes.push_back((points[j].y - points[i].y) / (points[j].x - points[i].x));
    }
  }
}

// Of independent points, whose equal values make it smaller.
double score_variance(const std::vector<Point>& points) {
  const auto term = [](double count) { return count * (count - 1) * (2 * count + 5); };
  std::map<double, double> equal;
  for (const Point& point : points) ++equal[point.y];
  double sum = term(static_cast<double>(points.size()));
  for (const auto& [value, count] : equal) sum -= term(count);
  return sum / 18;
}

// The ranks of what a line with this slope leaves, less their mean. Equal values have equal ranks.
std::vector<double> ranks_beside(const std::vector<Point>& points, double slope) {
  std::vector<double> left;
  for (const Point& point : points) left.push_back(point.y - slope * point.x);
  std::vector<double> sorted = left;
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> ranks;
  for (const double value : left) {
    const auto [first, end] = std::equal_range(sorted.begin(), sorted.end(), value);
    const auto below = static_cast<double>(first - sorted.begin());
    const auto up_to = static_cast<double>(end - sorted.begin());
    ranks.push_back((below + up_to - static_cast<double>(points.size())) / 2);
  }
  return ranks;
}

// By how much neighbours that resemble each other make the variance larger: the factor for noise in
// which each point keeps the share `kept` of what the one before had.
double correlation_factor(const std::vector<Point>& points, double slope) {
  const std::vector<double> ranks = ranks_beside(points, slope);
  const auto count = static_cast<double>(ranks.size());
  const double squares = std::inner_product(ranks.begin(), ranks.end(), ranks.begin(), 0.0);
  if (squares <= 0 || count <= 4) return 1;
  const double products =
      std::inner_product(ranks.begin(), ranks.end() - 1, ranks.begin() + 1, 0.0);
  // Beside a line that was fitted, the correlation of neighbours is too small, by (2 + 4 kept)/n.
  const double kept = std::min(kMostKept, (count * products / squares + 2) / (count - 4));
  if (kept <= 0) return 1;
  double sum = 0;
  for (double lag = 1; lag < count; ++lag) sum += (1 - lag / count) * std::pow(kept, lag);
  return 1 + 2 * sum;
}

// How many steps from one point to the next go up, and how many down.
struct Steps {
  std::uint64_t up = 0;
  std::uint64_t down = 0;
};

void add_steps(const std::vector<Point>& points, Steps& steps) {
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (points[i].y > points[i - 1].y) ++steps.up;
    if (points[i].y < points[i - 1].y) ++steps.down;
  }
}

double step_p_of(const Steps& steps) {
  const std::uint64_t all = steps.up + steps.down;
  if (all == 0) return 1;
  return std::min(1.0, 2 * binomial_at_most(std::min(steps.up, steps.down), all, 0.5));
}

double p_of(double score, double variance) {
  if (variance <= 0 || score == 0) return 1;
  const double z = (std::abs(score) - 1) / std::sqrt(variance);
  return std::erfc(z / std::sqrt(2.0));
}

// Sen's interval: so many slopes on either side of the median as the score may be off.
Slope slope_from(const std::vector<double>& sorted, double variance, double confidence) {
  const auto count = static_cast<double>(sorted.size());
  const double off = student_t_quantile((1 + confidence) / 2, kAsGoodAsNormal) *
                     std::sqrt(std::max(0.0, variance));
  const auto at = [&](double place) {
    return sorted[static_cast<std::size_t>(std::clamp(std::round(place), 0.0, count - 1))];
  };
  return {.slope = median_of_sorted(sorted),
          .low = at((count - off) / 2 - 1),
          .high = at((count + off) / 2)};
}

}  // namespace

std::optional<Trend> trend_of(std::span<const std::vector<Point>> blocks, double confidence) {
  Trend trend;
  std::vector<double> slopes;
  Steps steps;
  for (const std::vector<Point>& block : blocks) {
    if (!ascends(block)) return std::nullopt;
    if (block.size() < kLeastOfBlock) continue;
    trend.points += block.size();
    add_slopes(block, slopes);
    add_steps(block, steps);
  }
  if (trend.points < kLeastTrendPoints) return std::nullopt;
  trend.score = static_cast<double>(
      std::count_if(slopes.begin(), slopes.end(), [](double slope) { return slope > 0; }) -
      std::count_if(slopes.begin(), slopes.end(), [](double slope) { return slope < 0; }));
  std::sort(slopes.begin(), slopes.end());
  const double slope = median_of_sorted(slopes);
  double independent = 0;
  for (const std::vector<Point>& block : blocks) {
    if (block.size() < kLeastOfBlock) continue;
    const double variance = score_variance(block);
    independent += variance;
    trend.variance += variance * correlation_factor(block, slope);
  }
  if (independent > 0) trend.correlation = trend.variance / independent;
  trend.p = p_of(trend.score, trend.variance);
  trend.step_p = step_p_of(steps);
  trend.slope = slope_from(slopes, trend.variance, confidence);
  return trend;
}

}  // namespace tailgate
