#include "harness/stats/rank_sum.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <stdexcept>

#include "harness/stats/distributions.h"
#include "harness/stats/step_down.h"

namespace tailgate {
namespace {

constexpr std::size_t kMostValues = 65'536;
constexpr double kNormalToFiveDigits = 1e6;  // at which Student's t is normal to five digits

// The ranks of A's values, then of B's; those of equal values are their mean.
std::vector<double> ranks_of(const TwoGroups& groups) {
  std::vector<double> values = groups.a;
  values.insert(values.end(), groups.b.begin(), groups.b.end());
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t x, std::size_t y) { return values[x] < values[y]; });
  std::vector<double> ranks(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t end = first + 1;
    while (end < order.size() && values[order[end]] == values[order[first]]) ++end;
    const double rank = static_cast<double>(first + 1 + end) / 2;
    for (; first < end; ++first) ranks[order[first]] = rank;
  }
  return ranks;
}

// Ranks less their mean, in units of the rank sum's standard deviation over all relabellings.
std::vector<double> standardized(std::vector<double> ranks, std::size_t a, std::size_t b) {
  const auto count = static_cast<double>(ranks.size());
  const double mean = (count + 1) / 2;
  double squares = 0;
  for (double& rank : ranks) {
    rank -= mean;
    squares += rank * rank;
  }
  if (squares == 0) return ranks;
  const double sizes = static_cast<double>(a) * static_cast<double>(b);
  const double deviation = std::sqrt(sizes / (count * (count - 1)) * squares);
  for (double& rank : ranks) rank /= deviation;
  return ranks;
}

std::vector<double> statistics_of_all(const TwoGroups& groups, const Relabellings& relabellings) {
  const std::vector<double> ranks =
      standardized(ranks_of(groups), relabellings.a(), relabellings.b());
  std::vector<double> statistics(relabellings.count());
  for (std::size_t i = 0; i < statistics.size(); ++i) {
    for (const std::uint16_t place : relabellings.chosen(i)) statistics[i] += ranks[place];
  }
  return statistics;
}

void check(const TwoGroups& groups, const Relabellings& relabellings) {
  const auto finite = [](double value) { return std::isfinite(value); };
  if (groups.a.size() != relabellings.a() || groups.b.size() != relabellings.b() ||
      !std::all_of(groups.a.begin(), groups.a.end(), finite) ||
      !std::all_of(groups.b.begin(), groups.b.end(), finite)) {
    throw std::invalid_argument("rank_sum_test: finite values, as many as the relabellings have");
  }
}

}  // namespace

std::size_t count_relabellings(std::size_t a, std::size_t b, std::size_t most) {
  // The binomial coefficient, factor by factor; each product is a whole number.
  double count = 1;
  for (std::size_t i = 1; i <= std::min(a, b) && count < static_cast<double>(most); ++i) {
    count = std::round(count * static_cast<double>(std::max(a, b) + i) / static_cast<double>(i));
  }
  return count < static_cast<double>(most) ? static_cast<std::size_t>(count) : most;
}

Relabellings Relabellings::up_to(std::size_t a, std::size_t b, std::size_t most,
                                 std::uint64_t seed) {
  if (a < 1 || b < 1 || a + b > kMostValues || most < 1) {
    throw std::invalid_argument("Relabellings: 1 to 65,536 values, and a relabelling or more");
  }
  Relabellings made(a, b);
  if (count_relabellings(a, b, most + 1) <= most) {
    made.add_all();
  } else {
    made.add_drawn(most, seed);
  }
  return made;
}

// In lexicographic order from the last to the first: B's places begin as the highest ones.
void Relabellings::add_all() {
  std::vector<std::size_t> places(b_);
  std::iota(places.begin(), places.end(), a_);
  for (;;) {
    for (const std::size_t place : places) chosen_.push_back(static_cast<std::uint16_t>(place));
    // The next lower set: the first place that has room below it moves down, those before it close
    // up to it.
    std::size_t i = 0;
    while (i < b_ && places[i] == i) ++i;
    if (i == b_) return;
    --places[i];
    for (std::size_t below = i; below > 0; --below) places[below - 1] = places[below] - 1;
  }
}

void Relabellings::add_drawn(std::size_t count, std::uint64_t seed) {
  std::vector<std::uint16_t> all(a_ + b_);
  std::iota(all.begin(), all.end(), std::uint16_t{0});
  chosen_.assign(all.begin() + static_cast<std::ptrdiff_t>(a_), all.end());
  std::mt19937_64 random(seed);
  for (std::size_t drawn = 1; drawn < count; ++drawn) {
    // The first b steps of a Fisher-Yates shuffle. Their bias is below 2^-47.
    for (std::size_t i = 0; i < b_; ++i) {
      std::swap(all[i], all[i + random() % (all.size() - i)]);
      chosen_.push_back(all[i]);
    }
  }
}

std::vector<RankSumResult> rank_sum_test(const std::vector<TwoGroups>& metrics,
                                         const Relabellings& relabellings) {
  std::vector<std::vector<double>> statistics;
  std::vector<RankSumResult> results;
  for (const TwoGroups& groups : metrics) {
    check(groups, relabellings);
    const std::vector<double>& all =
        statistics.emplace_back(statistics_of_all(groups, relabellings));
    RankSumResult& result = results.emplace_back();
    result.statistic = all.front();
    result.p_above = share_at_least(all, result.statistic);
    result.p_below = share_at_most(all, result.statistic);
  }
  const std::vector<double> adjusted = step_down(statistics);
  for (std::size_t i = 0; i < results.size(); ++i) results[i].p_above_adjusted = adjusted[i];
  return results;
}

ShiftInterval shift_interval(std::span<const double> a, std::span<const double> b,
                             double confidence) {
  if (a.empty() || b.empty() || a.size() > kMostShiftValues || b.size() > kMostShiftValues ||
      !(confidence > 0 && confidence < 1)) {
    throw std::invalid_argument("shift_interval: 1 to 2000 values, confidence between 0 and 1");
  }
  std::vector<double> differences;
  differences.reserve(a.size() * b.size());
  for (const double from : a) {
    for (const double to : b) differences.push_back(to - from);
  }
  std::sort(differences.begin(), differences.end());
  const std::size_t count = differences.size();
  ShiftInterval interval{(differences[(count - 1) / 2] + differences[count / 2]) / 2, {}, {}};
  const auto pairs = static_cast<double>(count);
  const double deviation = std::sqrt(pairs * static_cast<double>(a.size() + b.size() + 1) / 12);
  const double quantile = student_t_quantile((1 + confidence) / 2, kNormalToFiveDigits);
  const double place = std::floor(pairs / 2 - quantile * deviation);
  if (place >= 1) {
    const auto k = static_cast<std::size_t>(place);
    interval.low = differences[k - 1];
    interval.high = differences[count - k];
  }
  return interval;
}

}  // namespace tailgate
