#include "harness/cli/selftest_margins.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "harness/base/error.h"
#include "harness/base/quoting.h"
#include "harness/cli/command_line.h"
#include "harness/cli/commands.h"
#include "harness/cli/terminal.h"
#include "harness/gate/make_margins.h"
#include "harness/os/atomic_file.h"
#include "harness/os/machine.h"

namespace tailgate {
namespace {

std::string class_of(const Calibration& calibration) {
  std::set<std::string> classes;
  for (const CalibrationRun& run : calibration.runs) classes.insert(run.fingerprint);
  const std::string here = collect_machine_info().fingerprint;
  if (classes.count(here) != 0) return here;
  if (classes.size() == 1) return *classes.begin();
  throw UsageError(
      Error(fmt::format("the record holds {} machine classes, and this machine's, {}, is not among "
                        "them",
                        classes.size(), here),
            "give the records of one class, or calibrate on this machine"));
}

std::string change_text(const std::optional<double>& change) {
  return change ? fmt::format("{:.3g} %", *change * 100) : std::string("-");
}

// A change that no gate could tell is none, where the metric is gated at all.
std::string found_text(bool gated, const std::optional<double>& found) {
  if (gated && !found) return "> 1000 %";
  return change_text(found);
}

void show_sink(const MeasuredSink& sink) {
  say("### {}\n\n", markdown_text(sink.sink + ", " + sink.load));
  say("| {:<17} | {:>8} | {:>8} | {:>8} | {:>8} |\n", "metric", "policy", "finds", "class",
      "finds");
  say("| ----------------- | -------: | -------: | -------: | -------: |\n");
  for (const MeasuredMargin& metric : sink.metrics) {
    const bool gated_after = metric.policy_margin || metric.margin;
    say("| {:<17} | {:>8} | {:>8} | {:>8} | {:>8} |\n", metric.metric,
        change_text(metric.policy_margin),
        found_text(metric.policy_margin.has_value(), metric.policy_finds),
        change_text(metric.margin ? metric.margin : metric.policy_margin),
        found_text(gated_after, metric.finds));
  }
  say("\nOn {} rounds of the second half {:.1f} % of the gates of these margins pass and {:.1f} % "
      "fail,\nof the whole policy {:.1f} % and {:.1f} %.\n\n",
      sink.second_rounds, sink.new_passes * 100, sink.new_fails * 100, sink.policy_passes * 100,
      sink.policy_fails * 100);
}

}  // namespace

void write_margins(const Calibration& calibration, const Policy& policy, std::size_t relabel,
                   const std::filesystem::path& file) {
  const std::string fingerprint = class_of(calibration);
  Calibration one;
  std::string machine;
  for (const CalibrationRun& run : calibration.runs) {
    if (run.fingerprint != fingerprint) continue;
    one.runs.push_back(run);
    if (!run.machine.empty()) machine = run.machine;
  }
  MarginSearch search;
  constexpr std::size_t kFewest = 20;
  search.gates = std::max(kFewest, relabel / 2);
  search.found_gates = std::max(kFewest, relabel / 10);
  StatusLine status;
  const std::vector<MeasuredSink> sinks =
      measure_margins(one, policy, search, [&](const std::string& what) { status.show(what); });
  status.clear();
  if (sinks.empty()) {
    throw Error(fmt::format("no sink of the record has {} rounds with nothing planted in either "
                            "half of its runs",
                            policy.looks.rounds.back()),
                "record more runs: 'tailgate selftest gate --change none --same 100'");
  }
  write_file_atomically(file, write_machine_class(sinks, fingerprint, machine, search));
  for (const MeasuredSink& sink : sinks) show_sink(sink);
  say("Margins of machine {} written to {}\n", fingerprint, file.string());
}

}  // namespace tailgate
