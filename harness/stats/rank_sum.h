// Two groups that are not paired: the rank-sum test by relabelling, over many metrics at once, and
// the interval of the shift that belongs to it. Pure functions.
//
// When A and B do not differ, every way to call as many of all values B is as likely as the one
// observed, whatever their distribution. The share of relabellings whose rank sum is at least as
// extreme is therefore an exact p value (Wilcoxon, Biometrics Bulletin 1, 1945; Mann and Whitney,
// Annals of Mathematical Statistics 18, 1947), also with ties.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tailgate {

struct TwoGroups {
  std::vector<double> a;
  std::vector<double> b;
};

// Ways to choose the values that are called B among those of both groups, A's before B's; the first
// is the one observed. The same ways serve all metrics.
class Relabellings {
 public:
  // Every way where those are no more than `most`; else the one observed and `most` - 1 drawn at
  // random. Both groups have a value or more, together at most 65,536; most is 1 or more. Throws
  // std::invalid_argument.
  static Relabellings up_to(std::size_t a, std::size_t b, std::size_t most, std::uint64_t seed);

  std::size_t a() const { return a_; }
  std::size_t b() const { return b_; }
  std::size_t count() const { return chosen_.size() / b_; }

  // The places of the values that are called B.
  std::span<const std::uint16_t> chosen(std::size_t relabelling) const {
    return std::span(chosen_).subspan(relabelling * b_, b_);
  }

 private:
  Relabellings(std::size_t a, std::size_t b) : a_(a), b_(b) {}
  void add_all();
  void add_drawn(std::size_t count, std::uint64_t seed);

  std::size_t a_;
  std::size_t b_;
  std::vector<std::uint16_t> chosen_;
};

// How many relabellings there are; at most `most`.
std::size_t count_relabellings(std::size_t a, std::size_t b, std::size_t most);

struct RankSumResult {
  double statistic = 0;         // standardized: about standard normal when the groups do not differ
  double p_above = 1;           // of B not above A
  double p_above_adjusted = 1;  // the same for all metrics together: step-down by the largest
  double p_below = 1;           // of B not below A
};

// Tests whether B is above, or below, A; one result a metric. All metrics have as many finite
// values as the relabellings say. Values that are all equal have statistic 0 and p values of 1.
// Throws std::invalid_argument.
std::vector<RankSumResult> rank_sum_test(const std::vector<TwoGroups>& metrics,
                                         const Relabellings& relabellings);

struct ShiftInterval {
  double estimate = 0;        // median of all differences b - a (Hodges and Lehmann, 1963)
  std::optional<double> low;  // absent: too few values
  std::optional<double> high;
};

// How much B is above A, and the interval of the shifts that the rank-sum test does not reject,
// with the normal approximation of its quantile (Hollander and Wolfe, Nonparametric Statistical
// Methods, section 4.3). Both groups have a value or more, and at most kMostShiftValues; 0 <
// confidence < 1. Throws std::invalid_argument.
ShiftInterval shift_interval(std::span<const double> a, std::span<const double> b,
                             double confidence);

inline constexpr std::size_t kMostShiftValues = 2000;

}  // namespace tailgate
