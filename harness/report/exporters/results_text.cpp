// The answer to what was measured, on one screen: a sentence that names the best path, a line for
// each path under the same load, a line for every other load, and whether the machine was fit to
// measure. Everything else is in "details".
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "harness/report/answer_sentence.h"
#include "harness/report/answer_text.h"
#include "harness/report/exporter.h"
#include "harness/report/human.h"
#include "harness/report/painter.h"
#include "harness/report/ranking.h"
#include "harness/result/load_words.h"

namespace tailgate {
namespace {

// A quantile, where a call lies beyond it. Of events that were all lost there are no figures.
std::string quantile_cell(const RankedPath& path, std::uint64_t ns, double share_beyond) {
  const double beyond = static_cast<double>(path.step->response.count) * share_beyond;
  return beyond < 1 || path.ledger.all_lost() ? "-" : human_duration(ns);
}

// "<0.01%", "0.01%", "12%", "100%".
std::string lost_share(const StepLedger& ledger) {
  const double percent = 100 * static_cast<double>(ledger.lost) /
                         static_cast<double>(std::max<std::uint64_t>(1, ledger.emitted));
  if (percent < 0.01) return "<0.01%";
  return percent < 10 ? fmt::format("{:.2g}%", percent) : fmt::format("{:.0f}%", percent);
}

std::string lost_cell(const StepLedger& ledger) {
  if (ledger.unchecked) return "?";
  if (!ledger.balanced) return "invalid";
  return ledger.lost == 0 ? "0" : lost_share(ledger);
}

struct Mark {
  char sign;
  std::string_view meaning;
  bool is_of_machine = false;  // not the path's own doing
};

// The worst first: a path gets the first that applies.
constexpr Mark kUnaccounted = {'?', "events unaccounted for or not read back: not valid"};
constexpr Mark kLost = {'x', "lost events"};
constexpr Mark kMissed = {'!', "could not keep up with the rate"};
constexpr Mark kMissedByMachine = {'m', "missed the rate by the machine's fault, not its own",
                                   true};
constexpr Mark kBusy = {'~', "", true};  // the line on the machine explains it
constexpr Mark kNoMark = {' ', ""};

const Mark& mark_of(const RankedPath& path) {
  if (path.ledger.unchecked || !path.ledger.balanced) return kUnaccounted;
  if (path.ledger.lost > 0) return kLost;
  if (path.by_machine()) return kMissedByMachine;
  if (path.by_itself()) return kMissed;
  if (path.busy_trials > 0) return kBusy;
  if (path.step->saturated) return kMissed;
  return kNoMark;
}

// Those that are on the screen, and so in its legend.
using Marks = std::set<const Mark*>;

// Behind a figure; nothing without a mark.
std::string shown(const Mark& mark, Marks& used) {
  used.insert(&mark);
  return &mark == &kNoMark ? "" : std::string(" ") + mark.sign;
}

// The sink's name; for a sink that keeps no event, that, too: it is no choice, however fast it is.
std::string sink_cell(const RankedPath& path, std::size_t width) {
  const auto& sink = path.result->sink;
  const bool keeps = sink.read_back || sink.live_read ||
                     sink.survives.value_or(Survives::nothing) > Survives::nothing;
  const std::string text = sink.label + " (keeps nothing)";
  return std::string(first_columns(keeps || text.size() > width ? sink.label : text, width));
}

std::string row(const RankedPath& path, const RankedLoad& load, Marks& used,
                const Painter& painter) {
  const Mark& mark = mark_of(path);
  used.insert(&mark);
  const std::string sign(1, mark.sign);
  std::string text = (mark.is_of_machine ? painter.yellow(sign) : painter.red(sign)) +
                     fmt::format(" {:<20} {:>6}", sink_cell(path, 20), load_rate_text(load));
  if (path.step->trials == 0) return text + "  no trial completed\n";
  const Latency& response = path.step->response;
  const Estimate* cpu_ns = path.cpu_ns();
  return text + fmt::format(
                    "{:>9}{:>8}{:>8}{:>9}{:>8}{:>9}\n", quantile_cell(path, response.p50_ns, 0.5),
                    quantile_cell(path, response.p99_ns, 0.01),
                    quantile_cell(path, response.p99_9_ns, 0.001),
                    (response.overflow > 0 ? ">" : "") + quantile_cell(path, response.max_ns, 1),
                    lost_cell(path.ledger), cpu_ns != nullptr ? human_duration(cpu_ns->mean) : "-");
}

std::string title(const Painter& painter) {
  return painter.bold(fmt::format("  {:<21}{:>6}{:>9}{:>8}{:>8}{:>9}{:>8}{:>9}", "sink", "rate/s",
                                  "p50", "p99", "p99.9", "max", "lost", "CPU/ev")) +
         "\n";
}

std::string load_text(const RankedLoad& load) {
  std::string text = load.scenario;
  if (load.rate_hz > 0) text += fmt::format(" at {}/s", load_rate_text(load));
  return text + writer_words(load.threads, load.processes, load.sessions);
}

// The highest rate of each sink's sweep that it held. A higher one that it missed by the machine's
// fault leaves open what it can hold.
std::string sweep_line(const std::string& scenario, const std::vector<RankedLoad>& loads,
                       Marks& used) {
  struct Held {
    double rate_hz = 0;
    double by_machine_hz = 0;  // the highest that was missed by its fault
  };
  std::map<std::string, Held> held;
  for (const RankedLoad& load : loads) {
    if (load.scenario != scenario) continue;
    for (const RankedPath& path : load.paths) {
      Held& of_sink = held[path.result->sink.label];
      const bool holds = path.step->trials > 0 && !path.step->saturated;
      if (holds) of_sink.rate_hz = std::max(of_sink.rate_hz, load.rate_hz);
      if (path.by_machine()) of_sink.by_machine_hz = std::max(of_sink.by_machine_hz, load.rate_hz);
    }
  }
  std::vector<std::pair<std::string, Held>> sorted(held.begin(), held.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return a.second.rate_hz > b.second.rate_hz;
  });
  std::vector<std::string> words;
  for (const auto& [sink, rates] : sorted) {
    const Mark& mark = rates.by_machine_hz > rates.rate_hz ? kMissedByMachine : kNoMark;
    words.push_back(fmt::format(
        "{} {}{}", sink, rates.rate_hz > 0 ? human_rate(rates.rate_hz) + "/s" : "none of them",
        shown(mark, used)));
  }
  return fmt::format("{}, highest rate held: {}", scenario, fmt::join(words, ", "));
}

std::string other_line(const RankedLoad& load, Marks& used) {
  const bool closed_loop = load.rate_hz <= 0;
  std::vector<std::pair<double, std::string>> words;
  for (const RankedPath& path : load.paths) {
    const StepSummary& step = *path.step;
    const bool has_figure = step.trials > 0 && step.response.count > 0 && !path.ledger.all_lost();
    const std::string figure = !has_figure   ? "no figures"
                               : closed_loop ? human_rate(step.achieved_rate_hz) + "/s"
                                             : quantile_cell(path, step.response.p99_ns, 0.01);
    words.emplace_back(
        closed_loop ? -step.achieved_rate_hz : 0,
        fmt::format("{} {}{}", path.result->sink.label, figure, shown(mark_of(path), used)));
  }
  std::stable_sort(words.begin(), words.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> texts;
  for (const auto& [order, text] : words) texts.push_back(text);
  return fmt::format("{}, {}: {}", load_text(load), closed_loop ? "throughput" : "p99",
                     fmt::join(texts, ", "));
}

// Several rates of one scenario are a sweep, and share a line.
std::string other_loads(const std::vector<RankedLoad>& loads, Marks& used) {
  std::map<std::string, std::size_t> rates;
  for (std::size_t i = 1; i < loads.size(); ++i) ++rates[loads[i].scenario];
  std::string text;
  std::vector<std::string> said;
  for (std::size_t i = 1; i < loads.size(); ++i) {
    const std::string& scenario = loads[i].scenario;
    if (std::find(said.begin(), said.end(), scenario) != said.end()) continue;
    const bool sweeps = rates[scenario] > 2;
    if (sweeps) said.push_back(scenario);
    text += paragraph(sweeps ? sweep_line(scenario, loads, used) : other_line(loads[i], used));
  }
  return text;
}

// How busy the machine was, marked as its paths are, and how many remarks there are.
std::string machine_line(const Results& results) {
  std::size_t remarks = 0;
  for (const auto& [name, result] : results) {
    remarks += result.remarks.size();
    for (const Trial& trial : result.trials) remarks += trial.remarks.size();
  }
  std::string text =
      paragraph(fmt::format("{} --details: {} remarks.", machine_sentence(results), remarks));
  if (was_busy(results)) text.front() = kBusy.sign;
  return text;
}

std::string legend(const Marks& used) {
  std::string text;
  for (const Mark* mark : {&kUnaccounted, &kLost, &kMissedByMachine, &kMissed}) {
    if (!used.contains(mark)) continue;
    text += fmt::format("{} {}\n", mark->sign, mark->meaning);
  }
  return text;
}

std::string render_results_text(const Results& results, const ExportOptions& options) {
  const Painter painter(options.colour);
  const std::string answers = answers_text(results);
  // Without a column the paths of one load are ranked by p99, the loads of one path by rate.
  std::vector<RankedLoad> loads = rank(results, options.sort.empty() ? "p99" : options.sort);
  if (loads.empty()) {
    return (answers.empty() ? paragraph("No trial was run.")
                            : answers + "\n" + machine_line(results)) +
           restrictions(results, painter);
  }
  // Without two paths to compare, every step is a row.
  const bool compares = loads.front().paths.size() > 1;
  const Trust trust = trust_in(loads.front().paths);
  const std::string best = answer_sentence(loads.front(), trust);
  if (options.sort.empty() && trust == Trust::median) sort_paths(loads.front().paths, "p50");
  std::string text = answers.empty() ? "" : answers + "\n";
  text += best.empty() ? "" : paragraph(best) + "\n";
  text += title(painter);
  Marks used;
  const std::size_t shown = compares ? 1 : loads.size();
  if (!compares) {
    std::stable_sort(loads.begin(), loads.end(), [](const RankedLoad& a, const RankedLoad& b) {
      return std::pair(a.scenario, a.rate_hz) < std::pair(b.scenario, b.rate_hz);
    });
    std::stable_sort(loads.begin(), loads.end(), [&](const RankedLoad& a, const RankedLoad& b) {
      return comes_before(a.paths.front(), b.paths.front(), options.sort);
    });
  }
  for (std::size_t i = 0; i < shown; ++i) {
    for (const RankedPath& path : loads[i].paths) text += row(path, loads[i], used, painter);
  }
  const std::string others = compares ? other_loads(loads, used) : "";
  text += legend(used);
  return text + "\n" + others + machine_line(results) + restrictions(results, painter);
}

}  // namespace

constinit const Exporter exporters::results_text =
    exporter_of<render_results_text, Form::text>("text", "the answer on one screen", ".txt");

}  // namespace tailgate
