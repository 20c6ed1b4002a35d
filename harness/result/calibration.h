// The gate's own record: comparisons whose true answer is known, kept as each round's metrics, so
// that every policy can be held against them afterwards. As in result.h, the `describe` functions
// are the schema.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/result/result.h"

namespace tailgate {

inline constexpr int kCalibrationVersion = 1;
inline constexpr const char* kCalibrationFormat = "tailgate-calibration";

// A metric of both sides, round by round.
struct MetricSeries {
  std::string name;
  std::vector<double> a;
  std::vector<double> b;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("name", &MetricSeries::name, "the metric");
    v("a", &MetricSeries::a, "side A's value of each round");
    v("b", &MetricSeries::b, "side B's");
  }
};

// One comparison with a known answer.
struct CalibrationRun {
  std::string sink;
  std::string planted;
  std::string scenario;
  std::string started_utc;
  std::uint64_t seed = 0;
  std::string revision;
  std::string fingerprint;
  double duration_s = 0;
  std::uint64_t tail_events = 0;
  std::string outcome;
  std::string outcome_detail;
  bool by_rule = false;
  std::uint64_t rounds_used = 0;
  std::vector<MetricSeries> metrics;

  template <class Visitor>
  static void describe(Visitor& v) {
    using R = CalibrationRun;
    v("sink", &R::sink, "the sink with its options, without what was planted");
    v("planted", &R::planted, "what was planted in side B; 'none' for the same on both sides");
    v("scenario", &R::scenario, "the scenario and its settings");
    v("started_utc", &R::started_utc, "ISO 8601");
    v("seed", &R::seed, "of the duet's coins");
    v("revision", &R::revision, "git revision of the program");
    v("fingerprint", &R::fingerprint, "the machine's");
    v("duration_s", &R::duration_s, "how long the duet took, in seconds");
    v("tail_events", &R::tail_events,
      "calls in a round's distributions, the smaller of both sides' means");
    v("outcome", &R::outcome, "what the gate said when it was run: pass, fail …");
    v("outcome_detail", &R::outcome_detail, "its first reason");
    v("by_rule", &R::by_rule,
      "the outcome follows from a rule (it may not be compared, events were lost, a side broke), "
      "which no policy's margins change");
    v("rounds_used", &R::rounds_used, "from how many rounds");
    v("metrics", &R::metrics, "every metric that was measured in all rounds");
  }
};

struct Calibration {
  std::string format = kCalibrationFormat;
  int version = kCalibrationVersion;
  std::vector<CalibrationRun> runs;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("format", &Calibration::format, "always 'tailgate-calibration'");
    v("version", &Calibration::version, "of this schema");
    v("runs", &Calibration::runs, "every comparison, in the order they were made");
  }
};

}  // namespace tailgate
