// The distributions that the other files' tests and intervals need, by Boost.Math, whose headers
// take long to compile: distributions.cpp alone includes them. Pure functions.
#pragma once

#include <cstdint>

namespace tailgate {

// The value that Student's t with `degrees` > 0 degrees of freedom stays below with probability p,
// 0 < p < 1. Throws std::invalid_argument.
double student_t_quantile(double p, double degrees);

// The same of Fisher's F, the ratio of two variances, with `above` and `below` degrees of freedom,
// both above 0.
double fisher_f_quantile(double p, double above, double below);

// The probability of at most `successes` successes in `trials` independent trials, each of which
// succeeds with probability p, 0 <= p <= 1; successes <= trials. Throws std::invalid_argument.
double binomial_at_most(std::uint64_t successes, std::uint64_t trials, double p);

// The bounds of Clopper and Pearson on the probability of a success. The lower one is the
// probability with which `successes` or more of `trials` happen with probability `tail`; 0 without
// a success. The upper one, the same of `successes` or fewer; 1 without a failure. successes <=
// trials, trials above 0, 0 < tail < 1. Throws std::invalid_argument.
double binomial_lower_bound(std::uint64_t successes, std::uint64_t trials, double tail);
double binomial_upper_bound(std::uint64_t successes, std::uint64_t trials, double tail);

// Garwood's limits of the mean of a Poisson count: the lower one is the mean with which `count` or
// more happen with probability `tail`, 0 where nothing was counted; the upper one, the same of
// `count` or fewer. count >= 0, which need not be whole (between whole counts the limits follow the
// gamma distribution), 0 < tail < 1. Throws std::invalid_argument.
double poisson_lower_limit(double count, double tail);
double poisson_upper_limit(double count, double tail);

}  // namespace tailgate
