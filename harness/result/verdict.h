// What a verdict file contains: the gate's verdict on a duet, its reasons, and the judgement of
// every metric. As in result.h, the `describe` functions are the schema. Raise kVerdictVersion for
// a change that an old reader would misread.
//
// An effect is how much worse B is than A. For a ratio metric it is B / A - 1 (0.05: five percent
// more), for a difference metric B - A in the metric's unit. Margins, intervals and waivers have
// the same unit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/result/difference.h"
#include "harness/result/result.h"
#include "harness/result/values.h"

namespace tailgate {

inline constexpr int kVerdictVersion = 1;
inline constexpr const char* kVerdictFormat = "tailgate-verdict";

struct MetricJudgement {
  std::string name;
  std::string unit;
  EffectKind effect_kind = EffectKind::ratio;
  MetricOutcome decision = MetricOutcome::unmeasured;
  std::string reason;
  double margin = 0;
  std::optional<std::string> margin_from;
  std::string waiver;
  std::optional<double> before_pin;
  double median_a = 0;
  double median_b = 0;
  double effect = 0;
  std::optional<double> effect_low;
  std::optional<double> effect_high;
  double statistic = 0;
  double p_within = 1;
  double p_no_change = 1;
  double p_beyond = 1;
  std::optional<std::uint64_t> tail_samples;
  std::optional<std::uint64_t> tail_samples_needed;
  std::optional<std::uint64_t> rounds_needed;

  bool is_measured() const { return decision != MetricOutcome::unmeasured; }
  bool is_gated() const { return is_measured() && decision != MetricOutcome::reported; }

  template <class Visitor>
  static void describe(Visitor& v) {
    using M = MetricJudgement;
    v("name", &M::name, "the metric, as in the policy");
    v("unit", &M::unit, "unit of the medians; for a difference also of the effect and the margin");
    v("effect_kind", &M::effect_kind, "ratio or difference");
    v("decision", &M::decision,
      "pass, fail, undecided, reported (not gated), or unmeasured (no effect in any round)");
    v("reason", &M::reason, "reason of the decision, in one sentence");
    v("margin", &M::margin,
      "the effect that is tolerated; of a rate, its margin and the tolerated share of A's mean "
      "rate "
      "together; 0 for a metric that is only reported");
    v("margin_from", &M::margin_from,
      "the file of the machine class's margins, where that one is in force; absent: the policy's");
    v("waiver", &M::waiver,
      "why a margin other than the policy's applies: the waiver's commit and reason; or empty");
    v("before_pin", &M::before_pin,
      "what earlier moves of the nights' reference changed, B / A - 1 of the reference against the "
      "first one; the margin is what that leaves. Absent where nothing of it is known");
    v("median_a", &M::median_a, "A's median over the rounds used; of a rate, its mean");
    v("median_b", &M::median_b, "B's median over the rounds used; of a rate, its mean");
    v("effect", &M::effect, "median of the rounds' effects; of a rate, the means' difference");
    v("effect_low", &M::effect_low,
      "lower end of the effect's 95 % confidence interval (order statistics, binomial; of a rate, "
      "from the exact limits of Poisson counts); absent if there are too few rounds");
    v("effect_high", &M::effect_high, "upper end of that interval");
    v("statistic", &M::statistic,
      "test statistic of the effect minus the margin: approximately standard normal if the effect "
      "equals the margin");
    v("p_within", &M::p_within,
      "p-value for an effect within the margin, adjusted for all gated metrics; a small value "
      "means that the effect is beyond the margin");
    v("p_no_change", &M::p_no_change,
      "p-value for no effect at all, adjusted likewise; 1 if no metric was beyond its margin");
    v("p_beyond", &M::p_beyond,
      "p-value for an effect at the margin or beyond; a small value means that the effect is "
      "within the margin");
    v("tail_samples", &M::tail_samples,
      "for a quantile: number of calls beyond it per side, in all rounds that the policy plans");
    v("tail_samples_needed", &M::tail_samples_needed,
      "number of such calls that is needed to distinguish the margin from the change that the "
      "policy wants to detect");
    v("rounds_needed", &M::rounds_needed,
      "estimated number of rounds that would decide if the effect stays as measured; only for an "
      "undecided metric. 100000 means that the effect is at the margin");
  }
};

// The ratio of one quantile of both sides' response times.
struct QuantileRatio {
  double quantile = 0;
  double ratio = 1;
  std::optional<double> low;
  std::optional<double> high;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("quantile", &QuantileRatio::quantile, "0.99 is the 99th percentile");
    v("ratio", &QuantileRatio::ratio, "median over the rounds used of B's quantile / A's");
    v("low", &QuantileRatio::low,
      "lower end of its 95 % confidence interval; absent if there are too few rounds");
    v("high", &QuantileRatio::high, "upper end of that interval");
  }
};

struct Verdict {
  std::string format = kVerdictFormat;
  int version = kVerdictVersion;
  VerdictOutcome outcome = VerdictOutcome::invalid;
  std::string duet;
  std::string duet_id;
  std::string label;
  std::string policy;
  std::string method = "looks";
  std::string a;
  std::string b;
  std::string a_revision;
  std::string b_revision;
  std::string sink;
  std::string scenario;
  Load load;
  std::string fingerprint;
  std::vector<std::uint64_t> looks;
  double false_fail = 0;
  double false_pass = 0;
  std::uint64_t rounds_recorded = 0;
  std::uint64_t rounds_used = 0;
  std::optional<std::uint64_t> rounds_needed;
  std::optional<unsigned> layouts;
  std::vector<Remark> reasons;
  std::vector<Remark> remarks;
  std::vector<MetricJudgement> metrics;
  std::vector<QuantileRatio> shifts;
  Latency response_a;
  Latency response_b;
  std::optional<Difference> difference = {};

  template <class Visitor>
  static void describe(Visitor& v) {
    v("format", &Verdict::format, "always 'tailgate-verdict'");
    v("version", &Verdict::version, "version of this schema");
    v("outcome", &Verdict::outcome, "pass, fail, inconclusive or invalid");
    v("duet", &Verdict::duet, "the duet's file, as it was given");
    v("duet_id", &Verdict::duet_id, "the duet's id");
    v("label", &Verdict::label, "the duet's restriction on the use of its figures; empty for none");
    v("policy", &Verdict::policy, "the policy's file, or 'built in'");
    v("method", &Verdict::method,
      "'looks' (a duet's rounds), or 'relabelling' (repetitions that are not paired, at one "
      "analysis); in older files also 'anytime'");
    v("a", &Verdict::a, "label of side A");
    v("b", &Verdict::b, "label of side B");
    v("a_revision", &Verdict::a_revision, "git revision of side A's program");
    v("b_revision", &Verdict::b_revision, "git revision of side B's program");
    v("sink", &Verdict::sink, "side B's sink with its options as given");
    v("scenario", &Verdict::scenario, "the scenario, or its preset");
    v("load", &Verdict::load, "the load of both sides");
    v("fingerprint", &Verdict::fingerprint, "the machine's fingerprint");
    v("looks", &Verdict::looks,
      "numbers of rounds after which the policy looks, that is, makes an interim analysis; empty "
      "where there is one analysis only");
    v("false_fail", &Verdict::false_fail,
      "upper bound on the probability of a fail if both sides behave the same, over all looks and "
      "metrics");
    v("false_pass", &Verdict::false_pass,
      "upper bound on the probability of a pass if a metric is at its margin, over all looks");
    v("rounds_recorded", &Verdict::rounds_recorded, "number of rounds in the duet");
    v("rounds_used", &Verdict::rounds_used,
      "number of the first rounds on which the verdict is based");
    v("rounds_needed", &Verdict::rounds_needed,
      "estimated number of rounds that would decide if every effect stays as measured; only for an "
      "inconclusive verdict");
    v("layouts", &Verdict::layouts,
      "number of layouts in memory of each side's build; absent: one");
    v("reasons", &Verdict::reasons, "reasons of the outcome, and what to do");
    v("remarks", &Verdict::remarks, "further facts that a reader of the verdict must know");
    v("metrics", &Verdict::metrics, "judgement of every metric");
    v("shifts", &Verdict::shifts, "ratios of the response times at increasing quantiles");
    v("response_a", &Verdict::response_a,
      "A's response times of the rounds used, merged; for plots, not for statistical tests");
    v("response_b", &Verdict::response_b, "B's response times, likewise");
    v("difference", &Verdict::difference,
      "why the sides differ, from traced rounds; absent where none were run");
  }
};

}  // namespace tailgate
