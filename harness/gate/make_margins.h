// Measures the margins of a machine class from its calibration: as small as equal sides still pass.
//
// Of each sink and load, the runs with nothing planted are split in two halves, at random by whole
// runs. On relabelled gates (relabelling.h) of the first half the smallest margin of each metric is
// looked for; gates of the second half, which had no say, must confirm all margins together. A
// margin is never above the policy's. The recorded duets compared one build with itself, so the
// gates get the layouts in memory that two builds have (lay_out).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/gate/policy.h"
#include "harness/result/calibration.h"

namespace tailgate {

struct MarginSearch {
  std::size_t gates = 1000;       // a margin is tried on so many
  std::size_t found_gates = 200;  // a change is tried on so many
  // Of a metric alone on the first half. A gate has about ten metrics, so all of them together
  // leave 2 % open.
  double passes = 0.998;
  double confirmed = 0.98;  // of all metrics with a new margin together, on the second half
  double found = 0.95;      // share of gates that fail the change which counts as found
  std::uint64_t seed = 1;
};

// What was found for one metric of a sink.
struct MeasuredMargin {
  std::string metric;
  std::optional<double> policy_margin;  // where the policy gates it
  std::optional<double> margin;         // the class's; none where it would not be smaller
  std::string why_none;
  // The smallest change that the share `found` of gates on the second half fail, under the policy
  // and with the class's margins; none where not even the largest that is tried, +1000 %, is.
  std::optional<double> policy_finds;
  std::optional<double> finds;
};

struct MeasuredSink {
  std::string sink;
  std::string load;
  double layout_spread = 0;  // as the policy has it
  std::size_t first_rounds = 0;
  std::size_t second_rounds = 0;
  std::vector<std::string> first_runs;  // started_utc of the first half's
  // Of the gates on the second half, as shares: passes and fails of the new margins together, and
  // of the whole policy with them.
  double new_passes = 0;
  double new_fails = 0;
  double policy_passes = 0;
  double policy_fails = 0;
  std::vector<MeasuredMargin> metrics;
};

// One for each sink and load of which either half has as many rounds as the policy's last look.
// calibration: of one machine class. policy: its class margins are left out. progress: called with
// what comes next.
std::vector<MeasuredSink> measure_margins(const Calibration& calibration, const Policy& policy,
                                          const MarginSearch& search,
                                          const std::function<void(const std::string&)>& progress);

// The file of a class (class_margins.h), with what it was made from as comments. machine: in words,
// or empty.
std::string write_machine_class(const std::vector<MeasuredSink>& sinks,
                                const std::string& fingerprint, const std::string& machine,
                                const MarginSearch& search);

}  // namespace tailgate
