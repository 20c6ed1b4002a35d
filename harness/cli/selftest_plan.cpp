#include "harness/cli/selftest_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

#include "harness/gate/calibration.h"
#include "harness/stats/quantile_interval.h"

namespace tailgate {
namespace {

// Of side A: it starts the daemon too, so that the sides differ in its work and not in its memory.
constexpr const char* kIdleDaemon = "plant_daemon=true";
constexpr double kDaemonShare = 0.1;

bool is_of(const CalibrationRun& run, const WantedRuns& wanted) {
  return run.sink == wanted.sink.sink && run.scenario == wanted.load;
}

unsigned runs_so_far(const Calibration& calibration, const WantedRuns& wanted) {
  const auto count = std::count_if(
      calibration.runs.begin(), calibration.runs.end(), [&](const CalibrationRun& run) {
        return is_of(run, wanted) && run.planted == wanted.change->name;
      });
  return static_cast<unsigned>(count);
}

// kDaemonShare of the processor time per event that the sink used in its runs with nothing planted
// at that load; empty without such runs.
std::optional<std::uint64_t> daemon_ns(const Calibration& calibration, const WantedRuns& wanted) {
  std::vector<double> used;
  for (const CalibrationRun& run : calibration.runs) {
    if (!is_of(run, wanted) || run.planted != kPlantedNothing) continue;
    for (const MetricSeries& series : run.metrics) {
      if (series.name == "cpu_ns_per_event") {
        std::copy_if(series.a.begin(), series.a.end(), std::back_inserter(used),
                     [](double value) { return !std::isnan(value); });
      }
    }
  }
  if (used.empty()) return {};
  return static_cast<std::uint64_t>(std::max(1.0, kDaemonShare * median(used)));
}

}  // namespace

std::vector<std::string> changes_that_must_fail() {
  std::vector<std::string> names;
  for (const PlantedChange& change : planted_changes()) {
    if (change.must_detect == MustDetect::yes) names.emplace_back(change.name);
  }
  return names;
}

std::optional<CalibrationStep> next_step(const Calibration& calibration,
                                         const std::vector<WantedRuns>& wanted) {
  std::optional<CalibrationStep> next;
  double least = 1;
  for (const WantedRuns& one : wanted) {
    if (one.runs == 0) continue;
    const double done = static_cast<double>(runs_so_far(calibration, one)) / one.runs;
    if (done >= least) continue;
    CalibrationStep step{one.sink, one.change, kNothingPlanted, one.change->options};
    if (one.change->name == std::string_view(kDaemonChange)) {
      const auto ns = daemon_ns(calibration, one);
      if (!ns) continue;
      step.options_a = kIdleDaemon;
      step.options_b = fmt::format("plant_daemon_ns={}", *ns);
    }
    least = done;
    next = std::move(step);
  }
  return next;
}

RunsLeft runs_left(const Calibration& calibration, const std::vector<WantedRuns>& wanted) {
  RunsLeft left;
  for (const WantedRuns& one : wanted) {
    left.runs += one.runs - std::min(one.runs, runs_so_far(calibration, one));
  }
  constexpr double kUnknownRunS = 60;
  double spent_s = 0;
  for (const CalibrationRun& run : calibration.runs) spent_s += run.duration_s;
  const auto runs = static_cast<double>(calibration.runs.size());
  left.seconds = static_cast<double>(left.runs) * (runs > 0 ? spent_s / runs : kUnknownRunS);
  return left;
}

}  // namespace tailgate
