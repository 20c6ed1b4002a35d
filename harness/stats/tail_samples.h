// How many calls in the tail it takes to tell a change of a tail quantile. Pure functions.
#pragma once

namespace tailgate {

// The calls beyond the quantile, per side and over all rounds, that are needed to tell a relative
// change of `effect` (1: a doubling) from one of `margin`, 0 <= margin < effect: (5 / D)^2 with
// D = ln((1 + effect) / (1 + margin)). A round's log ratio of a quantile with k calls beyond it
// varied by 0.65 to 0.8 / sqrt(k) in duet runs; 5 / D leaves about six standard errors of the mean
// between the two. Throws std::invalid_argument.
double tail_samples_needed(double effect, double margin);

// The smallest effect that `samples` > 0 such calls tell from the margin: the inverse of the above.
double detectable_effect(double samples, double margin);

}  // namespace tailgate
