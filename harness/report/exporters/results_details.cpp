// Results as text for a terminal of 80 columns.
//
// First a table with a group of rows for each step of each result (response, service and, where it
// was measured, delivery), then a table of what logging cost, then for each result its floor, its
// restriction on use, its failed trials, and its remarks with their remedies. "lost" and "unacc."
// are sums over all trials of the step; "unacc." is "?" when the events of a trial could not be
// read back, and "-" when those of none were to be.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "harness/report/exporter.h"
#include "harness/report/human.h"
#include "harness/report/overhead_text.h"
#include "harness/report/painter.h"
#include "harness/report/program_text.h"
#include "harness/result/latency.h"

namespace tailgate {
namespace {

// How many events of some trials were lost or are unaccounted for.
struct Tally {
  std::uint64_t lost = 0;
  std::int64_t unaccounted = 0;
  bool checked = false;
  bool unchecked = false;

  void add(const LedgerAccount& ledger) {
    lost += ledger.lost;
    unaccounted += ledger.unaccounted;
    checked = checked || ledger.checked;
    unchecked = unchecked || ledger.unchecked();
  }
};

// The first columns of a group of rows.
struct Lead {
  std::string rate;      // 6 columns: target rate, or the trial's number
  std::string achieved;  // 8
  std::string trials;    // 7: completed/all, or the trial's outcome
};

// A quantile is shown where at least one call lies beyond it.
std::string latency_cells(const Latency& latency) {
  const auto cell = [&](std::uint64_t ns, double share_beyond = 1) {
    const bool any = static_cast<double>(latency.count) * share_beyond >= 1;
    return any ? human_duration(ns) : "-";
  };
  // A value above the histogram's range: the maximum is only a lower bound.
  const std::string max = (latency.overflow > 0 ? ">" : "") + cell(latency.max_ns);
  return fmt::format("{:>8}{:>8}{:>8}{:>8}", cell(latency.p50_ns, 0.5), cell(latency.p99_ns, 0.01),
                     cell(latency.p99_9_ns, 0.001), max);
}

std::string unaccounted_cell(const Tally& tally) {
  if (tally.unchecked) return "?";
  return tally.checked ? human_count(tally.unaccounted) : "-";
}

std::string tally_cells(const Tally& tally, const Painter& painter) {
  const std::string lost = fmt::format("{:>8}", human_count(tally.lost));
  const std::string unaccounted = fmt::format("{:>8}", unaccounted_cell(tally));
  const bool balanced = tally.unaccounted == 0 && !tally.unchecked;
  return (tally.lost == 0 ? lost : painter.red(lost)) +
         (balanced ? unaccounted : painter.red(unaccounted));
}

std::string group(const Lead& lead, const Latency& response, const Latency& service,
                  const Latency* delivery, const Tally& tally, const Painter& painter) {
  const std::string blank(23, ' ');
  std::string text =
      fmt::format("{:>6}{:>9}{:>8} {:<8}", lead.rate, lead.achieved, lead.trials, "response") +
      latency_cells(response) + tally_cells(tally, painter) + "\n";
  text += blank + fmt::format(" {:<8}", "service") + latency_cells(service) + "\n";
  if (delivery != nullptr) {
    text += blank + fmt::format(" {:<8}", "delivery") + latency_cells(*delivery) + "\n";
  }
  return text;
}

std::string heading(const Result& result) {
  std::string text = result.scenario.name + "@" + result.sink.label;
  if (!result.scenario.preset.empty()) text += " (preset " + result.scenario.preset + ")";
  if (result.trials.empty() || result.trials.front().load.shape != Shape::ramp) return text;
  const Load& ramp = result.trials.front().load;
  return text + fmt::format(" from {} to {} events/s", human_rate(ramp.rate_hz),
                            human_rate(ramp.end_rate_hz));
}

std::string bold_lines(const std::string& text, const Painter& painter) {
  std::string lines;
  for (const std::string& line : wrapped(text, kColumns, 2)) lines += painter.bold(line) + "\n";
  return lines;
}

// At most 7 letters.
std::string_view short_outcome(TrialOutcome outcome) {
  if (outcome == TrialOutcome::completed) return "ok";
  if (outcome == TrialOutcome::interrupted) return "stopped";
  if (outcome == TrialOutcome::unchecked) return "unread";
  return enum_text(outcome);
}

std::string trial_group(const Trial& trial, const Painter& painter) {
  Tally tally;
  tally.add(trial.ledger);
  const Latency* delivery = trial.consumer.delivery ? &*trial.consumer.delivery : nullptr;
  return group({fmt::format("#{}", human_count(std::uint64_t{trial.index}).substr(0, 5)),
                human_rate(trial.achieved_rate_hz), std::string(short_outcome(trial.outcome))},
               trial.response, trial.service, delivery, tally, painter);
}

// 6 columns: of a ramp, whose rates do not fit, that it is one.
std::string rate_cell(const Result& result, const StepSummary& step) {
  const bool ramps = std::any_of(result.trials.begin(), result.trials.end(), [&](const Trial& one) {
    return one.step == step.step && one.load.shape == Shape::ramp;
  });
  if (ramps) return "ramp";
  return step.rate_hz > 0 ? human_rate(step.rate_hz) : "max";
}

// Whose fault a missed rate is.
std::string rate_mark(const StepSummary& step) {
  if (!step.saturated) return "";
  return step.saturated_by_machine.value_or(false) ? " m" : "!";
}

std::string step_group(const Result& result, const StepSummary& step, const ExportOptions& options,
                       const Painter& painter) {
  Tally tally;
  std::uint64_t all = 0;
  for (const Trial& trial : result.trials) {
    if (trial.step != step.step) continue;
    tally.add(trial.ledger);
    ++all;
  }
  std::string trials = fmt::format("{}/{}", step.trials, all);
  if (trials.size() > 7) trials = human_count(std::uint64_t{step.trials});
  const Lead lead{rate_cell(result, step), human_rate(step.achieved_rate_hz) + rate_mark(step),
                  trials};
  std::string text = group(lead, step.response, step.service,
                           step.delivery ? &*step.delivery : nullptr, tally, painter);
  if (!options.trials) return text;
  for (const Trial& trial : result.trials) {
    if (trial.step == step.step) text += trial_group(trial, painter);
  }
  return text;
}

std::string table(const Results& results, const ExportOptions& options, const Painter& painter) {
  std::string text =
      fmt::format("{:>6}{:>9}{:>8} {:<8}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}\n", "rate/s", "achieved",
                  "trials", "time", "p50", "p99", "p99.9", "max", "lost", "unacc.");
  for (const auto& [name, result] : results) {
    text += bold_lines(heading(result), painter);
    for (const StepSummary& step : result.summary) {
      text += step_group(result, step, options, painter);
    }
  }
  return text;
}

// "trials 0-2, 5": which trials share a remark.
std::string trial_list(const std::vector<unsigned>& indexes) {
  std::vector<std::string> ranges;
  for (std::size_t i = 0; i < indexes.size();) {
    std::size_t last = i;
    while (last + 1 < indexes.size() && indexes[last + 1] == indexes[last] + 1) ++last;
    ranges.push_back(last == i ? fmt::format("{}", indexes[i])
                               : fmt::format("{}-{}", indexes[i], indexes[last]));
    i = last + 1;
  }
  return fmt::format("trial{} {}", indexes.size() == 1 ? "" : "s", fmt::join(ranges, ", "));
}

std::string floor_line(const Result& result) {
  std::vector<std::uint64_t> p50;
  std::uint64_t p99 = 0;  // of the worst trial
  for (const Trial& trial : result.trials) {
    if (trial.floor.service.count == 0) continue;
    p50.push_back(trial.floor.service.p50_ns);
    p99 = std::max(p99, trial.floor.service.p99_ns);
  }
  if (p50.empty()) return "  floor: not measured\n";
  const auto middle = p50.begin() + static_cast<std::ptrdiff_t>((p50.size() - 1) / 2);
  std::nth_element(p50.begin(), middle, p50.end());
  return fmt::format("  floor: a call that does nothing takes {} at p50, {} at p99\n",
                     human_duration(*middle), human_duration(p99));
}

std::string notes(const Result& result, const Painter& painter) {
  std::string text = floor_line(result) + program_text(result);
  if (!result.label.empty()) text += note("restricted use: " + result.label, "", painter);
  if (!result.complete) {
    text += note("the run ended before its last trial", "run again for all trials", painter);
  }
  std::vector<std::pair<std::pair<std::string, std::string>, std::vector<unsigned>>> shared;
  const auto add = [&](unsigned index, const std::string& what, const std::string& remedy) {
    const std::pair key(what, remedy);
    auto found = std::find_if(shared.begin(), shared.end(),
                              [&](const auto& entry) { return entry.first == key; });
    if (found == shared.end()) found = shared.insert(shared.end(), {key, {}});
    found->second.push_back(index);
  };
  for (const Trial& trial : result.trials) {
    if (trial.outcome != TrialOutcome::completed) {
      const std::string detail =
          trial.outcome_detail.empty() ? "" : " (" + trial.outcome_detail + ")";
      add(trial.index, std::string(enum_text(trial.outcome)) + detail, "");
    }
    for (const Remark& remark : trial.remarks) add(trial.index, remark.what, remark.remedy);
  }
  for (const Remark& remark : result.remarks) text += note(remark.what, remark.remedy, painter);
  for (const auto& [remark, indexes] : shared) {
    text += note(trial_list(indexes) + ": " + remark.first, remark.second, painter);
  }
  return text;
}

std::string render_results_details(const Results& results, const ExportOptions& options) {
  const Painter painter(options.colour);
  std::string text = table(results, options, painter);
  const bool roles = options.roles || results.size() == 1;
  if (!roles) {
    std::vector<TitledResult> titled;
    for (const auto& [name, result] : results) {
      titled.push_back({bold_lines(heading(result), painter), result});
    }
    const std::string logging = logging_text(titled);
    if (!logging.empty()) text += "\n" + logging;
  }
  for (const auto& [name, result] : results) {
    text += "\n" + bold_lines(heading(result), painter);
    if (roles) text += overhead_text(result);
    text += notes(result, painter);
  }
  return text;
}

}  // namespace

constinit const Exporter exporters::results_details =
    exporter_of<render_results_details, Form::text>("details", "every step, role and remark",
                                                    ".details.txt");

}  // namespace tailgate
