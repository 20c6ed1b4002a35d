// What the gate says of a duet, as a file: the verdict, its reasons, and every metric's part in it.
// As in result.h, the `describe` functions are the schema, and a change that an old reader would
// misread raises kVerdictVersion.
//
// An effect is how much worse B is than A. Of a ratio it is B / A - 1 (0.05: five percent more), of
// a difference B - A in the metric's unit. Margins, intervals and waivers are in the same terms.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/result/result.h"

namespace tailgate {

inline constexpr int kVerdictVersion = 1;
inline constexpr const char* kVerdictFormat = "tailgate-verdict";

struct MetricJudgement {
  std::string name;
  std::string unit;
  std::string effect_kind;
  std::string decision;
  std::string reason;
  double margin = 0;
  std::string waiver;
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

  template <class Visitor>
  static void describe(Visitor& v) {
    using M = MetricJudgement;
    v("name", &M::name, "the metric, as in the policy");
    v("unit", &M::unit, "of the medians, and of the effect and the margin of a difference");
    v("effect_kind", &M::effect_kind, "ratio or difference");
    v("decision", &M::decision,
      "pass, fail, undecided, reported (not gated), or unmeasured (no effect in some round)");
    v("reason", &M::reason, "why it is so, in a sentence");
    v("margin", &M::margin, "the effect that is tolerated; 0 for a metric that is only reported");
    v("waiver", &M::waiver,
      "why a larger or smaller margin than the policy's holds: the waiver's commit and reason; or "
      "empty");
    v("median_a", &M::median_a, "A's median over the rounds used");
    v("median_b", &M::median_b, "B's");
    v("effect", &M::effect, "median of the rounds' effects");
    v("effect_low", &M::effect_low,
      "lower end of the effect's 95 % interval (ordered values, binomial); absent where there are "
      "too few rounds for one");
    v("effect_high", &M::effect_high, "upper end");
    v("statistic", &M::statistic,
      "of the effect less the margin: about standard normal when the effect is at the margin");
    v("p_within", &M::p_within,
      "of an effect within the margin, adjusted for all gated metrics; small: beyond it");
    v("p_no_change", &M::p_no_change,
      "of no effect at all, adjusted likewise; 1 where no metric was beyond its margin");
    v("p_beyond", &M::p_beyond, "of an effect at the margin or beyond; small: within it");
    v("tail_samples", &M::tail_samples,
      "of a quantile: calls beyond it per side, in all rounds that the policy plans");
    v("tail_samples_needed", &M::tail_samples_needed,
      "as many as are needed to tell the change that the policy wants found from the margin");
    v("rounds_needed", &M::rounds_needed,
      "about how many rounds would decide it if the effect stays what it seems; of an undecided "
      "metric only. 100000 stands for: its effect is at the margin");
  }
};

// How one quantile of the response times differs.
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
      "lower end of its 95 % interval; absent with too few rounds for one");
    v("high", &QuantileRatio::high, "upper end");
  }
};

struct Verdict {
  std::string format = kVerdictFormat;
  int version = kVerdictVersion;
  std::string outcome;
  std::string duet;
  std::string duet_id;
  std::string label;
  std::string policy;
  std::string method;
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
  std::vector<Remark> reasons;
  std::vector<Remark> remarks;
  std::vector<MetricJudgement> metrics;
  std::vector<QuantileRatio> shifts;
  Latency response_a;
  Latency response_b;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("format", &Verdict::format, "always 'tailgate-verdict'");
    v("version", &Verdict::version, "of this schema");
    v("outcome", &Verdict::outcome, "pass, fail, inconclusive or invalid");
    v("duet", &Verdict::duet, "the duet's file, as it was given");
    v("duet_id", &Verdict::duet_id, "its id");
    v("label", &Verdict::label, "its restriction on use; empty for none");
    v("policy", &Verdict::policy, "the policy's file, or 'built in'");
    v("method", &Verdict::method, "looks or anytime");
    v("a", &Verdict::a, "label of side A");
    v("b", &Verdict::b, "label of side B");
    v("a_revision", &Verdict::a_revision, "git revision of side A's program");
    v("b_revision", &Verdict::b_revision, "of side B's");
    v("sink", &Verdict::sink, "side B's sink with its options as given");
    v("scenario", &Verdict::scenario, "the scenario, or its preset");
    v("load", &Verdict::load, "the load of both sides");
    v("fingerprint", &Verdict::fingerprint, "the machine's");
    v("looks", &Verdict::looks, "after how many rounds the policy looks");
    v("false_fail", &Verdict::false_fail,
      "most probability of failing sides that behave alike, all looks and metrics together");
    v("false_pass", &Verdict::false_pass,
      "most probability of passing with a metric at its margin, all looks together");
    v("rounds_recorded", &Verdict::rounds_recorded, "rounds in the duet");
    v("rounds_used", &Verdict::rounds_used, "the first of them, from which the verdict is");
    v("rounds_needed", &Verdict::rounds_needed,
      "about how many would have decided, if every effect stays what it seems; of an inconclusive "
      "verdict only");
    v("reasons", &Verdict::reasons, "why this outcome, and what to do");
    v("remarks", &Verdict::remarks, "what else a reader of the verdict must know");
    v("metrics", &Verdict::metrics, "every metric");
    v("shifts", &Verdict::shifts, "of the response times, at rising quantiles");
    v("response_a", &Verdict::response_a,
      "A's response times of the rounds used, merged: for the eye, not for tests");
    v("response_b", &Verdict::response_b, "B's");
  }
};

}  // namespace tailgate
