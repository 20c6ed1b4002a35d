// Compares how often something happened on two sides, from counts in rounds. Pure functions.
//
// The rates are compared on the whole, not round by round: what happens once in ten rounds moves no
// median. A count that chance alone makes is Poisson's, whose exact limits are Garwood's
// (Biometrika 28, 1936). The limits of a difference of two rates follow from those of each (Zou and
// Donner, Statistics in Medicine 27, 2008); where one side counted nothing they are Garwood's.
// Where counts come in bursts, or differ from round to round by more than chance, all counts are
// divided by the dispersion, the variance of the rounds' differences against what chance would make
// of it (quasi-Poisson; McCullagh and Nelder, Generalized Linear Models, 1989, section 6.2). Where
// rounds come in clusters (sign_flip.h), it is the variance of the clusters' differences.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/stats/sign_flip.h"

namespace tailgate {

// As many rounds on both sides; counts not below 0, in any unit of which one is the least that can
// happen. A round in which either count is not a number is left out.
struct CountRounds {
  std::vector<double> a;
  std::vector<double> b;
  double exposure = 1;     // of a round, in what the rates are per; the same on both sides
  Clusters clusters = {};  // of the rounds, whose counts vary together; or empty
};

// B's rate is tolerated up to A's * (1 + more) + extra. Both are fixed before anything is counted.
struct CountMargin {
  double extra = 0;
  double more = 0;
};

struct CountTest {
  double p_within = 1;  // of a rate within the margin
  double p_beyond = 1;  // of a rate at the margin or beyond
};

// Limits of B's rate less A's * (1 + more).
struct ExcessLimits {
  double low = 0;
  double estimate = 0;
  double high = 0;
};

// Each limit is exceeded with a probability of `tail`, above 0 and below 0.5, over the first
// `rounds` rounds, at least one. Throws std::invalid_argument.
ExcessLimits excess_limits(const CountRounds& counts, std::size_t rounds, double more, double tail);

// p values below 1e-9 are 1e-9; those above 0.5 are 1. Throws std::invalid_argument.
CountTest count_test(const CountRounds& counts, std::size_t rounds, const CountMargin& margin);

}  // namespace tailgate
