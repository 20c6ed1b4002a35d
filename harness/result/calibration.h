// The record of the gate's calibration: comparisons whose true answer is known. Each round's
// metrics are kept, so that any policy can be evaluated on them afterwards. calibration_file.h has
// the form of its file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tailgate {

// The change that is none: both sides are the same.
inline constexpr const char* kPlantedNothing = "none";

// One metric's values of both sides, round by round; not a number where a round lacks it.
struct MetricSeries {
  std::string name;
  std::vector<double> a;
  std::vector<double> b;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("name", &MetricSeries::name, "the metric");
    v("a", &MetricSeries::a, "side A's value in each round");
    v("b", &MetricSeries::b, "side B's value in each round");
  }
};

// What is known of each round as a whole, round by round: a coin, its duration, how busy the
// machine was. Not a number where it is not known.
struct FactSeries {
  std::string name;
  std::vector<double> values;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("name", &FactSeries::name, "the fact");
    v("values", &FactSeries::values, "its value in each round");
  }
};

// One comparison with a known answer. The file stores fields that `describe` omits in another form.
struct CalibrationRun {
  std::string sink;
  std::string planted;
  std::string scenario;
  std::string started_utc;
  std::uint64_t seed = 0;
  std::string revision;
  std::string fingerprint;
  std::string machine;
  double duration_s = 0;
  std::uint64_t tail_events = 0;
  std::string outcome;
  std::string outcome_detail;
  bool by_rule = false;
  std::uint64_t rounds_used = 0;
  // Every metric that was measured in any round; each has as many values on either side as the
  // first one.
  std::vector<MetricSeries> metrics;
  std::vector<FactSeries> facts;  // as many values as the metrics; none in older files

  template <class Visitor>
  static void describe(Visitor& v) {
    using R = CalibrationRun;
    v("sink", &R::sink, "the sink with its options, without the planted change");
    v("planted", &R::planted, "the change planted in side B; 'none' if both sides are the same");
    v("scenario", &R::scenario, "the scenario and its settings");
    v("started_utc", &R::started_utc, "ISO 8601");
    v("seed", &R::seed, "seed of the duet's random choices");
    v("revision", &R::revision, "git revision of the program");
    v("fingerprint", &R::fingerprint, "the machine's fingerprint");
    v("machine", &R::machine, "processors, hypervisor and system in words", 3);
    v("duration_s", &R::duration_s, "how long the duet took, in seconds");
    v("tail_events", &R::tail_events,
      "mean number of calls in a round's distributions, of the side that has fewer");
    v("outcome", &R::outcome, "the gate's verdict when it was run: pass, fail …");
    v("outcome_detail", &R::outcome_detail, "the verdict's first reason");
    v("by_rule", &R::by_rule,
      "whether the outcome follows from a rule that does not depend on a policy's margins (the "
      "sides may not be compared, events were lost, a side failed)");
    v("rounds_used", &R::rounds_used, "number of rounds on which the outcome is based");
  }
};

// All comparisons in the order in which they were made.
struct Calibration {
  std::vector<CalibrationRun> runs;
};

}  // namespace tailgate
