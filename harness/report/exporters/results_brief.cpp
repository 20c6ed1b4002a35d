// The short answer to what a command measured: a line for each sink and rate, and one sentence that
// names the cheapest sink.
#include <fmt/format.h>

#include <map>
#include <optional>
#include <string_view>

#include "harness/report/exporter.h"
#include "harness/report/human.h"
#include "harness/report/painter.h"

namespace tailgate {
namespace {

// What all trials of one step found of its events.
struct StepLedger {
  bool checked = true;
  bool unchecked = false;  // events that should have been read back were not
  std::uint64_t emitted = 0;
  std::uint64_t lost = 0;
  bool balanced = true;
};

StepLedger ledger_of(const Result& result, unsigned step) {
  StepLedger all;
  for (const Trial& trial : result.trials) {
    if (trial.step != step) continue;
    all.checked = all.checked && trial.ledger.checked;
    all.unchecked = all.unchecked || trial.ledger.unchecked();
    all.balanced = all.balanced && trial.ledger.unaccounted == 0;
    all.emitted += trial.ledger.emitted;
    all.lost += trial.ledger.lost;
  }
  return all;
}

std::optional<double> logging_cpu_ns(const StepSummary& step) {
  for (const RoleOverhead& overhead : step.overhead) {
    if (overhead.role == "logging" && overhead.cpu_ns_per_event) {
      return overhead.cpu_ns_per_event->mean;
    }
  }
  return {};
}

std::string cpu_cell(const StepSummary& step) {
  const std::optional<double> cpu_ns = logging_cpu_ns(step);
  if (!cpu_ns) return "-";
  return human_duration(*cpu_ns);
}

std::string rate_text(double rate_hz) {
  return rate_hz > 0 ? human_rate(rate_hz) : "max";
}

std::string lost_cell(const StepLedger& ledger) {
  if (ledger.unchecked) return "?";
  if (!ledger.balanced) return "invalid";
  return human_count(ledger.lost);
}

// A sink at one rate.
struct Candidate {
  const Result* result;
  const StepSummary* step;
  StepLedger ledger;

  bool qualifies() const {
    return step->trials > 0 && !step->saturated && ledger.checked && ledger.balanced;
  }
};

// The candidates at the rate that most results have; of several such rates the highest.
std::vector<Candidate> at_common_rate(const Results& results) {
  std::map<double, std::vector<Candidate>> by_rate;
  for (const auto& [name, result] : results) {
    for (const StepSummary& step : result.summary) {
      by_rate[step.rate_hz].push_back({&result, &step, ledger_of(result, step.step)});
    }
  }
  std::vector<Candidate> common;
  for (auto& [rate_hz, candidates] : by_rate) {
    if (candidates.size() >= common.size()) common = std::move(candidates);
  }
  return common;
}

std::string lost_words(const StepLedger& ledger) {
  if (ledger.lost == 0) return fmt::format("none of {} events was lost", ledger.emitted);
  const double percent =
      100.0 * static_cast<double>(ledger.lost) / static_cast<double>(ledger.emitted);
  return fmt::format("{} of {} events were lost ({:.2g} %)", ledger.lost, ledger.emitted, percent);
}

std::string brief_table(const Results& results, const Painter& painter) {
  std::string text =
      painter.bold(fmt::format("{:<25}{:>6}{:>9}{:>8}{:>8}{:>8}{:>7}{:>9}", "sink", "rate/s", "p50",
                               "p99", "p99.9", "max", "lost", "CPU/ev"));
  text += "\n";
  for (const auto& [name, result] : results) {
    for (const StepSummary& step : result.summary) {
      const Latency& response = step.response;
      const std::string rate = rate_text(step.rate_hz) + (step.saturated ? "!" : "");
      if (step.trials == 0) {
        text += fmt::format("{:<25}{:>6}  no trial completed\n",
                            first_columns(result.sink.label, 24), rate);
        continue;
      }
      text += fmt::format("{:<25}{:>6}{:>9}{:>8}{:>8}{:>8}{:>7}{:>9}\n",
                          first_columns(result.sink.label, 24), rate,
                          human_duration(response.p50_ns), human_duration(response.p99_ns),
                          human_duration(response.p99_9_ns), human_duration(response.max_ns),
                          lost_cell(ledger_of(result, step.step)), cpu_cell(step));
    }
  }
  return text;
}

// The cheapest sink has the lowest median response time among those that held the rate and whose
// events were all read back or reported as lost. Empty where fewer than two results have a rate in
// common.
std::string answer_sentence(const Results& results) {
  const std::vector<Candidate> candidates = at_common_rate(results);
  if (candidates.size() < 2) return "";
  const std::string load = candidates.front().step->rate_hz > 0
                               ? rate_text(candidates.front().step->rate_hz) + " events/s"
                               : "the highest rate";
  const Candidate* best = nullptr;
  for (const Candidate& candidate : candidates) {
    if (!candidate.qualifies()) continue;
    const auto p50_ns = candidate.step->response.p50_ns;
    if (best == nullptr || p50_ns < best->step->response.p50_ns) best = &candidate;
  }
  if (best == nullptr) {
    return paragraph(
        fmt::format("At {} no path here held the rate with every event accounted for.", load));
  }
  const Latency& response = best->step->response;
  return paragraph(fmt::format(
      "Cheapest here at {}: {}. Half of its calls returned within {} of the time they were due, "
      "99.9 % within {}; {}.",
      load, best->result->sink.label, human_duration(response.p50_ns),
      human_duration(response.p99_9_ns), lost_words(best->ledger)));
}

std::string render_brief(const Results& results, const ExportOptions& options) {
  const std::string answer = answer_sentence(results);
  return brief_table(results, Painter(options.colour)) + (answer.empty() ? "" : "\n" + answer);
}

}  // namespace

constinit const Exporter exporters::results_brief = exporter_of<render_brief, Form::text>(
    "brief", "a line a sink, and which is cheapest", ".brief.txt");

}  // namespace tailgate
