// The sequential test: after some rounds it decides, or asks for more. Pure functions.
//
// A look is an interim analysis: the test of all rounds so far, after a number of rounds that was
// fixed beforehand.
//
// The error of each kind is split evenly among the looks, so that it holds for all of them together
// (Bonferroni; O'Brien-Fleming and the like would spend less of it early). A share of it is kept
// for the looks of a duet that goes on after the last one: whoever resumes it because it was
// undecided then spends nothing that was spent before. Failing needs two
// rejections at the same level: of "the effect is within the margin", and of "there is no effect".
// When the sides do not differ, the second is exact by itself, whatever the effects' distribution:
// a false fail has at most the probability `false_fail` (sign_flip.h). Passing needs every metric
// to reject "the effect is at the margin or beyond" (intersection-union: Berger, Technometrics 24,
// 1982), so no correction for many metrics is needed.
//
// The sign-flip test compares effects with their margin. It assumes that effects scatter evenly
// around the margin, which those of a rare event do not. So counts are compared with their margin
// by a test of their own (counted_rates.h). Whether the sides differ at all is tested by sign flips
// for counts, too.
//
// Rounds may come in clusters (sign_flip.h), such as those of one pair of layouts. A look flips the
// clusters of its rounds, so more rounds of the same clusters tell less than as many new ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/stats/counted_rates.h"
#include "harness/stats/sign_flip.h"

namespace tailgate {

// One look of those that were planned, with its part of the errors.
struct PlannedLook {
  std::size_t rounds = 0;
  double fail_level = 0;
  double pass_level = 0;
  std::size_t patterns = 0;  // of flipped rounds: enough to tell the level
};

// When the looks are, and which errors are accepted over all of them. There must be a look, and
// both probabilities must be above 0.
struct Looks {
  std::vector<std::size_t> rounds;  // rising: a look follows after so many rounds
  // Further looks, of a duet that is resumed: rising, after the last of `rounds`; or none.
  std::vector<std::size_t> resumed = {};
  double resumed_share = 0;      // of both errors, which the further looks have; below 1
  double false_fail = 0;         // most probability of failing two sides that do not differ
  double false_pass = 0;         // most probability of passing a metric that is at its margin
  std::size_t patterns = 16384;  // of flipped rounds
  std::size_t clusters = 0;      // in which rounds come, at most; 0: each round is one
  std::uint64_t seed = 1;        // of the patterns

  // The same for one of several decisions that share false_fail (Bonferroni; Holm, Scandinavian
  // Journal of Statistics 6, 1979, lets those that are left share it once others have failed), with
  // enough patterns to tell it.
  Looks shared_by(std::size_t decisions) const;

  // The smallest false_fail that as many rounds, or clusters, as the last look has can reach.
  double least_false_fail() const;

  // Without the looks before that round, which then are none: the others share their errors. The
  // last of `rounds` stays.
  Looks from_round(std::size_t first) const;

  // Of each of `rounds`.
  double fail_level() const { return first_share() * false_fail; }
  double pass_level() const { return first_share() * false_pass; }

  // All looks, those of resumed duets last.
  std::vector<PlannedLook> all() const;

  // The rounds of the last of them.
  std::size_t last() const { return resumed.empty() ? rounds.back() : resumed.back(); }

 private:
  double first_share() const {
    return (resumed.empty() ? 1 : 1 - resumed_share) / static_cast<double>(rounds.size());
  }
};

// The looks as they are when a duet stopped after these numbers of rounds (rising), because its
// time was up for example: a stop between two looks is a look itself, in place of the one that was
// not reached, which is spent. A stop before the first look is none.
std::vector<PlannedLook> looks_with_stops(const Looks& looks,
                                          const std::vector<std::size_t>& stops);

// How often something happened in each round.
struct CountedRounds {
  CountRounds rounds;
  CountMargin margin;
};

// One metric's effect of each round, B against A, above 0 where B is worse. An effect that is not a
// number stands for a round in which it was not measured.
struct PairedMetric {
  std::vector<double> effects;
  double margin = 0;     // the effect that is tolerated
  double no_change = 0;  // failing must also exceed this effect; not 0 where a change is agreed on
  std::optional<double> margin_to_pass = {};  // to be below it passes; none: the margin
  std::optional<CountedRounds> counts = {};   // decide in place of the margin (counted_rates.h)
  // Each as coin_effect.h takes it. A look subtracts their effects in the rounds that it looks at.
  std::vector<std::vector<int>> coins = {};
};

enum class Decision { pass, fail, undecided };

struct MetricDecision {
  Decision decision = Decision::undecided;
  double statistic = 0;    // of the effect less the margin; about standard normal at the margin
  double p_within = 1;     // adjusted, except of counts: of an effect within the margin
  double p_no_change = 1;  // adjusted: of no change; 1 where no metric was beyond its margin
  double p_beyond = 1;     // unadjusted: of an effect at the margin or beyond
  // The share of the statistic's variance that is between clusters, so that more rounds of the same
  // ones do not reduce it: what is sure of it with 95 % confidence; 0 where there is one round a
  // cluster.
  double between_clusters = 0;
};

struct SequentialDecision {
  Decision decision = Decision::undecided;
  std::size_t rounds = 0;  // it is made from the first so many of the rounds
  bool looked = false;     // false: fewer rounds than the first look needs
  std::vector<MetricDecision> metrics;
};

// What one look at the first planned.rounds rounds says; at least one round. seed: of the patterns.
// clusters: of all rounds, or empty. All metrics must have that many effects. Throws
// std::invalid_argument.
SequentialDecision look(const std::vector<PairedMetric>& metrics, const PlannedLook& planned,
                        std::uint64_t seed, const Clusters& clusters = {});

// The first look that decides, or the last that there are rounds for. stops: as looks_with_stops()
// takes them; the errors hold all the same, provided that the effects did not make it stop (the
// time may, for example). With fewer rounds than the first look needs, it is undecided, with the
// metrics as they are so far. Without metrics it is undecided. Throws std::invalid_argument without
// looks, and when the metrics have different numbers of effects, or none.
SequentialDecision decide(const std::vector<PairedMetric>& metrics, const Looks& looks,
                          const std::vector<std::size_t>& stops, const Clusters& clusters);

// The same where the duet stopped once, after its last round.
SequentialDecision decide(const std::vector<PairedMetric>& metrics, const Looks& looks,
                          const Clusters& clusters = {});

// About how many rounds it takes to decide a metric after `rounds`, if its effect stays what it
// seems: the statistic's square grows with the rounds, but for the part of its variance that is
// between clusters, until it reaches the level's normal quantile. `metrics`: among how many metrics
// a failing one is found. At least `rounds`; at most 100,000, which stands for "more rounds will
// not decide it".
std::size_t rounds_needed(const MetricDecision& decision, std::size_t rounds, std::size_t metrics,
                          const Looks& looks);

}  // namespace tailgate
