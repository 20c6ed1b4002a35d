// What a few trials tell of a figure of which each of them gives one value. Pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace tailgate {

struct TrialInterval {
  double estimate = 0;
  double low = 0;
  double high = 0;
  bool of_median = false;  // estimate and interval are of the median; else of the mean
};

// From six values on (with a confidence of 0.95) the median between two of the ordered values,
// whatever the distribution (quantile_interval); of two to five, which are too few for that, the
// mean by Student's t (mean_interval). A single value has no interval. confidence: between 0 and 1.
std::optional<TrialInterval> trial_interval(std::span<const double> values, double confidence);

// About how many values in all would give an interval that does not contain `limit`, if they vary
// as these do: by Student's t, and for the median by its efficiency against the mean of normal
// values, 2 / pi. More than values.size(); nothing for fewer than two values, for an estimate at
// the limit, and above kMostTrials.
std::optional<std::size_t> trials_to_decide(std::span<const double> values, double limit,
                                            double confidence);
inline constexpr std::size_t kMostTrials = 1000;

}  // namespace tailgate
