// Deciding after some rounds, and going on where they do not suffice. Pure functions.
//
// The error of each kind is split evenly among the looks, so that it holds for all of them together
// (Bonferroni; O'Brien-Fleming and the like would spend less of it early). Failing needs two
// rejections at the same level: of "the effect is within the margin", and of "there is no effect".
// When both sides behave alike the second is exact by itself, whatever the effects' distribution:
// a false fail has at most the probability `false_fail` (sign_flip.h). Passing needs that every
// metric rejects "the effect is at the margin or beyond" (intersection-union: Berger,
// Technometrics 24, 1982), so no correction for many metrics is due.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tailgate {

struct Looks {
  std::vector<std::size_t> rounds = {15, 25, 35, 50};  // rising; after how many rounds to look
  double false_fail = 0.001;     // most probability to fail two sides that behave alike
  double false_pass = 0.05;      // most probability to pass a metric that is at its margin
  std::size_t patterns = 16384;  // of flipped rounds
  std::uint64_t seed = 1;        // of the patterns

  double fail_level() const { return false_fail / static_cast<double>(rounds.size()); }
  double pass_level() const { return false_pass / static_cast<double>(rounds.size()); }
};

// One metric's effect of each round, B against A, above 0 where B is worse.
struct PairedMetric {
  std::vector<double> effects;
  double margin = 0;  // the effect that is tolerated
  double no_change =
      0;  // the effect that failing must also exceed; not 0 where a change is expected
};

enum class Decision { pass, fail, undecided };

struct MetricDecision {
  Decision decision = Decision::undecided;
  double statistic = 0;    // of the effect less the margin; about standard normal at the margin
  double p_within = 1;     // adjusted: of an effect within the margin
  double p_no_change = 1;  // adjusted: of no change; 1 where no metric was beyond its margin
  double p_beyond = 1;     // unadjusted: of an effect at the margin or beyond
};

struct SequentialDecision {
  Decision decision = Decision::undecided;
  std::size_t rounds = 0;  // the rounds that it is made from: the first of those that there are
  bool looked = false;     // false: there were fewer than the first look wants
  std::vector<MetricDecision> metrics;
};

// What one look at the first `rounds` rounds says; at least one round.
// All metrics must have that many effects. Throws std::invalid_argument.
SequentialDecision look(const std::vector<PairedMetric>& metrics, std::size_t rounds,
                        const Looks& looks);

// The first look that decides, or the last that there are rounds for. Where the rounds end between
// two looks, the last is at their end: it takes the place of the look that they did not reach, so
// that the errors hold, provided that it was not the effects that ended them (but the time, say).
// With fewer rounds than the first look wants, undecided, with the metrics as they are so far.
// Without metrics, undecided. Throws std::invalid_argument when the metrics have different numbers
// of effects, or none.
SequentialDecision decide(const std::vector<PairedMetric>& metrics, const Looks& looks);

// The same by evidence that may be looked at after every round (e_process.h): a metric fails when
// the mean of all metrics' evidence reaches 1 / false_fail, and the rest is as in `decide`, with
// passing still at the looks. MetricDecision::p_within is then 1 / its evidence, at most 1.
SequentialDecision decide_anytime(const std::vector<PairedMetric>& metrics, const Looks& looks);

// About how many rounds a look would need to decide a metric whose statistic was `statistic` after
// `rounds`, if its effect stays what it seems: the statistic grows with the square root of the
// rounds until the level's normal quantile is reached. `metrics`: how many a failing one is
// adjusted for. At least `rounds`; at most 100,000, which stands for "this will not decide it".
std::size_t rounds_needed(double statistic, std::size_t rounds, std::size_t metrics,
                          const Looks& looks);

}  // namespace tailgate
