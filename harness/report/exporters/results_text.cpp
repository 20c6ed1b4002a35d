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

#include "harness/report/answer_text.h"
#include "harness/report/exporter.h"
#include "harness/report/human.h"
#include "harness/report/painter.h"
#include "harness/report/ranking.h"

namespace tailgate {
namespace {

// "10k", of a ramp "1k-100k".
std::string rate_text(const RankedLoad& load) {
  if (load.rate_hz <= 0) return "max";
  const std::string from = human_rate(load.rate_hz);
  return load.end_rate_hz > 0 ? from + "-" + human_rate(load.end_rate_hz) : from;
}

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

std::string row(const RankedPath& path, const RankedLoad& load, Marks& used,
                const Painter& painter) {
  const Mark& mark = mark_of(path);
  used.insert(&mark);
  const std::string sign(1, mark.sign);
  std::string text =
      (mark.is_of_machine ? painter.yellow(sign) : painter.red(sign)) +
      fmt::format(" {:<20} {:>6}", first_columns(path.result->sink.label, 20), rate_text(load));
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
  if (load.rate_hz > 0) text += fmt::format(" at {}/s", rate_text(load));
  if (load.threads > 1) text += fmt::format(", {} threads", load.threads);
  return text;
}

// Whether a path's processor time differs from that of the load without it. One trial does not
// tell.
bool uses_processor_time(const RankedPath& path) {
  const Estimate* cpu_ns = path.cpu_ns();
  return cpu_ns != nullptr && cpu_ns->half_width && cpu_ns->mean > *cpu_ns->half_width;
}

// "journald uses 28 times as much processor time as file." Empty where that says nothing.
std::string cpu_sentence(const std::vector<RankedPath>& paths) {
  const RankedPath* least = nullptr;
  const RankedPath* most = nullptr;
  for (const RankedPath& path : paths) {
    if (!path.qualifies() || !uses_processor_time(path)) continue;
    if (least == nullptr || path.cpu_ns()->mean < least->cpu_ns()->mean) least = &path;
    if (most == nullptr || path.cpu_ns()->mean > most->cpu_ns()->mean) most = &path;
  }
  if (least == nullptr || most->cpu_ns()->mean < 2 * least->cpu_ns()->mean) return "";
  const double times = most->cpu_ns()->mean / least->cpu_ns()->mean;
  return fmt::format(" {} uses {:.{}f} times as much processor time as {}.",
                     most->result->sink.label, times, times < 10 ? 1 : 0,
                     least->result->sink.label);
}

// Which of the figures under one load are the paths' own. An event that is due while the processor
// is away comes late, so the gaps of an idle thread tell from which quantile on the machine decides.
enum class Trust {
  tails,    // gaps took less than the share of calls beyond the 99th percentile
  median,   // they moved the median to another quantile of the undisturbed calls …
  nothing,  // … or took so much that it is any
};

// With a share s of the calls delayed, the median of all is at most the undisturbed calls'
// 0.5 / (1 - s) quantile: with a fifth the 62.5th percentile.
constexpr double kTailShare = 0.01;
constexpr double kMedianShare = 0.2;

// By the middle one of its trials.
Trust trust_in(const RankedLoad& load) {
  std::vector<double> shares;
  for (const RankedPath& path : load.paths) {
    for (const Trial& trial : path.result->trials) {
      if (trial.step == path.step->step) shares.push_back(trial.noise.lost_share);
    }
  }
  if (shares.empty()) return Trust::nothing;
  const auto middle = shares.begin() + static_cast<std::ptrdiff_t>(shares.size() / 2);
  std::nth_element(shares.begin(), middle, shares.end());
  if (*middle > kMedianShare) return Trust::nothing;
  return *middle > kTailShare ? Trust::median : Trust::tails;
}

// By which the paths are ranked.
std::uint64_t ranked_ns(const RankedPath& path, Trust trust) {
  const Latency& response = path.step->response;
  return trust == Trust::tails ? response.p99_ns : response.p50_ns;
}

// The best path among those that the answer may name and `may_be`.
template <class MayBe>
const RankedPath* best_of(const std::vector<RankedPath>& paths, Trust trust, MayBe may_be) {
  const RankedPath* best = nullptr;
  for (const RankedPath& path : paths) {
    if (!path.qualifies() || path.ledger.lost > 0 || !may_be(path)) continue;
    if (best == nullptr || ranked_ns(path, trust) < ranked_ns(*best, trust)) best = &path;
  }
  return best;
}

bool survives(const RankedPath& path, Survives what) {
  if (path.result->sink.survives.value_or(Survives::nothing) < what) return false;
  return what != Survives::crash || memory_file_system(*path.result).empty();
}

// The best of those whose events survive more than those of the best path: the most that any does.
std::string survival_sentence(const std::vector<RankedPath>& paths, const RankedPath& best,
                              Trust trust) {
  constexpr std::pair<Survives, const char*> kLevels[] = {
      {Survives::crash, "a crash of the system"}, {Survives::kill, "the program's death"}};
  for (const auto& [level, what] : kLevels) {
    if (survives(best, level)) return "";
    const RankedPath* path = best_of(paths, trust, [level = level](const RankedPath& candidate) {
      return survives(candidate, level);
    });
    if (path == nullptr) continue;
    return fmt::format(" Surviving {}: {}, {} within {}.", what, path->result->sink.label,
                       trust == Trust::tails ? "99 %" : "half",
                       human_duration(ranked_ns(*path, trust)));
  }
  return "";
}

// "Best here at 10k events/s: file. Of its calls 99 % …"
std::string sentence_on(const RankedPath& best, const std::string& at, Trust trust) {
  const Latency& response = best.step->response;
  const std::string name = best.result->sink.label;
  if (trust == Trust::median) {
    return fmt::format(
        "Best by the median at {}: {}. Half of its calls returned within {} of the time they were "
        "due; none of {} events was lost.",
        at, name, human_duration(response.p50_ns), best.ledger.emitted);
  }
  return fmt::format(
      "Best here at {}: {}. Of its calls 99 % returned within {} of the time they were due, half "
      "within {}; none of {} events was lost.",
      at, name, human_duration(response.p99_ns), human_duration(response.p50_ns),
      best.ledger.emitted);
}

// The best path has the lowest 99th percentile, or median, among those that held the rate and whose
// events were all read back. Empty where fewer than two paths had the same load.
std::string answer(const RankedLoad& load, Trust trust) {
  if (load.paths.size() < 2) return "";
  if (trust == Trust::nothing) {
    unsigned busy = 0;
    unsigned all = 0;
    for (const RankedPath& path : load.paths) {
      busy += path.busy_trials;
      all += path.all_trials;
    }
    return paragraph(fmt::format(
        "No path is named the best: the machine was busy in {} of {} trials.", busy, all));
  }
  const RankedPath* best = best_of(load.paths, trust, [](const RankedPath&) { return true; });
  const std::string at =
      load.rate_hz > 0 ? fmt::format("{} events/s", rate_text(load)) : "the highest rate";
  if (best == nullptr) {
    const auto by_machine = std::count_if(load.paths.begin(), load.paths.end(),
                                          [](const RankedPath& path) { return path.by_machine(); });
    return paragraph(fmt::format(
        "At {} no path here held the rate with every event accounted for.{}", at,
        by_machine == 0 ? ""
                        : fmt::format(" {} of {} missed it by the machine's fault: end other "
                                      "programs, and run again.",
                                      by_machine, load.paths.size())));
  }
  return paragraph(sentence_on(*best, at, trust) + survival_sentence(load.paths, *best, trust) +
                   cpu_sentence(load.paths));
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

// ", by cc1plus and dpkg"; empty where nobody is known by name.
std::string busy_with(const std::vector<const Neighbours*>& busy_trials) {
  const std::string names = names_of(notable_neighbours(busy_trials));
  return names.empty() ? "" : ", by " + names;
}

// "free for the load in all of 9 trials", "busy in 2 of 9 trials, by cc1plus (…): …"
std::string machine_words(const Results& results, Trust trust, unsigned busy, std::size_t trials) {
  std::vector<const Neighbours*> neighbours;
  double worst_share = 0;
  for (const auto& [name, result] : results) {
    for (const Trial& trial : result.trials) {
      const bool is_busy = trial.noise.lost_share > kBusyShare;
      if (is_busy && trial.neighbours) neighbours.push_back(&*trial.neighbours);
      worst_share = std::max(worst_share, trial.noise.lost_share);
    }
  }
  const std::string share =
      fmt::format("away for up to {:.0f} % of the time", worst_share * 100);
  if (busy > 0) {
    return fmt::format(
        "busy in {} of {} trials{} ({}): do not trust tails or missed rates. See 'tailgate "
        "doctor'.",
        busy, trials, busy_with(neighbours), share);
  }
  if (trust == Trust::tails) return fmt::format("free for the load in all of {} trials.", trials);
  return fmt::format(
      "hardly busy in any of {} trials ({}), but the tails are its own. See 'tailgate doctor'.",
      trials, share);
}

// Of a busy machine it begins with the mark of those paths.
std::string machine_line(const Results& results, Trust trust) {
  unsigned busy = 0;
  std::size_t trials = 0;
  std::size_t remarks = 0;
  std::size_t incomplete = 0;
  for (const auto& [name, result] : results) {
    for (const Trial& trial : result.trials) {
      ++trials;
      busy += trial.noise.lost_share > kBusyShare ? 1 : 0;
      remarks += trial.remarks.size();
      incomplete += trial.outcome == TrialOutcome::completed ? 0 : 1;
    }
    remarks += result.remarks.size();
  }
  std::string text = "Machine: " + machine_words(results, trust, busy, trials);
  if (incomplete > 0) text += fmt::format(" {} trials did not complete.", incomplete);
  text += fmt::format(" --details: {} remarks.", remarks);
  text = paragraph(text);
  if (busy > 0) text.front() = kBusy.sign;
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

// What forbids to take the figures for more than they are.
std::string restrictions(const Results& results, const Painter& painter) {
  std::set<std::string> labels;
  std::size_t ended_early = 0;
  for (const auto& [name, result] : results) {
    if (!result.label.empty()) labels.insert(result.label);
    ended_early += result.complete ? 0 : 1;
  }
  std::string text;
  for (const std::string& label : labels) text += note("restricted use: " + label, "", painter);
  if (ended_early > 0) {
    text +=
        note(fmt::format("{} of {} runs ended before its last trial", ended_early, results.size()),
             "run again for all trials", painter);
  }
  return text;
}

std::string render_results(const Results& results, const ExportOptions& options) {
  const Painter painter(options.colour);
  const std::string answers = answers_text(results);
  // Without a column the paths of one load are ranked by p99, the loads of one path by rate.
  std::vector<RankedLoad> loads = rank(results, options.sort.empty() ? "p99" : options.sort);
  if (loads.empty()) {
    return (answers.empty() ? paragraph("No trial was run.")
                            : answers + "\n" + machine_line(results, Trust::tails)) +
           restrictions(results, painter);
  }
  // Without two paths to compare, every step is a row.
  const bool compares = loads.front().paths.size() > 1;
  const Trust trust = trust_in(loads.front());
  const std::string best = answer(loads.front(), trust);
  if (options.sort.empty() && trust == Trust::median) sort_paths(loads.front().paths, "p50");
  std::string text = answers.empty() ? "" : answers + "\n";
  text += best.empty() ? "" : best + "\n";
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
  return text + "\n" + others + machine_line(results, compares ? trust : Trust::tails) + restrictions(results, painter);
}

std::string render_answer(const Results& results, const ExportOptions&) {
  const std::vector<RankedLoad> loads = rank(results, "p99");
  std::string text;
  for (const std::string& part :
       {answers_text(results), loads.empty() ? "" : answer(loads.front()), machine_line(results),
        restrictions(results, Painter(false))}) {
    if (!part.empty()) text += (text.empty() ? "" : "\n") + part;
  }
  return text;
}

}  // namespace

constinit const Exporter exporters::results_text =
    exporter_of<render_results, Form::text>("text", "the answer on one screen", ".txt");
constinit const Exporter exporters::results_answer =
    exporter_of<render_answer, Form::text>("answer", "the answer alone, in sentences", ".txt");

}  // namespace tailgate
