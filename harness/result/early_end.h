// Why a load ended before its time, and where a run was resumed.
#pragma once

#include <cstdint>
#include <string>

namespace tailgate {

// A limit of the scenario's that ended a trial's load.
struct EarlyEnd {
  std::uint64_t at_ns = 0;
  std::string limit;
  double value = 0;
  double allowed = 0;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("at_ns", &EarlyEnd::at_ns, "when, on the run clock");
    v("limit", &EarlyEnd::limit, "the scenario's option that is the limit");
    v("value", &EarlyEnd::value, "what had been reached, in the option's unit");
    v("allowed", &EarlyEnd::allowed, "the option's value");
  }
};

// A run that had been interrupted went on.
struct Resumption {
  unsigned trial = 0;
  std::string stopped_utc;
  std::string resumed_utc;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("trial", &Resumption::trial,
      "the first trial after it; its times are on a run clock of its own");
    v("stopped_utc", &Resumption::stopped_utc,
      "when the result was last written before, ISO 8601: nothing was measured from then on");
    v("resumed_utc", &Resumption::resumed_utc, "when it went on, ISO 8601");
  }
};

}  // namespace tailgate
