#include "harness/report/answer_sentence.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "harness/report/human.h"

namespace tailgate {
namespace {

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

// ", by cc1plus and dpkg"; empty where nobody is known by name.
std::string busy_with(const std::vector<const Neighbours*>& busy_trials) {
  const std::string names = names_of(notable_neighbours(busy_trials));
  return names.empty() ? "" : ", by " + names;
}

// What the idle thread saw in all trials.
struct Gaps {
  unsigned busy_trials = 0;
  unsigned unobserved_trials = 0;
  double worst_share = 0;
  std::vector<const Neighbours*> neighbours;  // of the busy trials
  bool leaves_tails = true;                   // to the paths, in every step
};

Gaps gaps_in(const Results& results) {
  Gaps gaps;
  for (const auto& [name, result] : results) {
    for (const StepSummary& step : result.summary) {
      if (trust_in({path_of(result, step)}) != Trust::tails) gaps.leaves_tails = false;
    }
    for (const Trial& trial : result.trials) {
      gaps.worst_share = std::max(gaps.worst_share, trial.noise.lost_share);
      gaps.unobserved_trials += trial.noise.observed_ns == 0 ? 1 : 0;
      if (trial.noise.lost_share <= kBusyShare) continue;
      ++gaps.busy_trials;
      if (trial.neighbours) gaps.neighbours.push_back(&*trial.neighbours);
    }
  }
  return gaps;
}

// "free for the load in all of 9 trials.", "busy in 2 of 9 trials, by cc1plus (for up to …"
std::string machine_words(const Gaps& gaps, std::size_t trials) {
  const double percent = gaps.worst_share * 100;
  if (gaps.busy_trials > 0) {
    return fmt::format(
        "busy in {} of {} trials{} (for up to {:.0f} % of the time): do not trust tails or missed "
        "rates. See 'tailgate doctor'.",
        gaps.busy_trials, trials, busy_with(gaps.neighbours), percent);
  }
  if (gaps.unobserved_trials > 0) {
    return fmt::format("{}: do not trust tails.", unobserved_words(gaps.unobserved_trials, trials));
  }
  if (gaps.leaves_tails) {
    return trials == 1 ? "free for the load."
                       : fmt::format("free for the load in all of {} trials.", trials);
  }
  return fmt::format(
      "used by others for up to {:.0f} % of the time: do not trust tails. See 'tailgate doctor'.",
      percent);
}

std::string no_trust_sentence(const std::vector<RankedPath>& paths) {
  unsigned busy = 0;
  unsigned unobserved = 0;
  unsigned all = 0;
  for (const RankedPath& path : paths) {
    busy += path.busy_trials;
    unobserved += path.unobserved_trials;
    all += path.all_trials;
  }
  if (unobserved > 0) {
    return fmt::format("No path is named the best: {}.", unobserved_words(unobserved, all));
  }
  return fmt::format("No path is named the best: the machine was busy in {} of {} trials.", busy,
                     all);
}

std::string at_rate(const RankedLoad& load) {
  return load.rate_hz > 0 ? fmt::format("{} events/s", load_rate_text(load)) : "the highest rate";
}

}  // namespace

std::string load_rate_text(const RankedLoad& load) {
  if (load.rate_hz <= 0) return "max";
  const std::string from = human_rate(load.rate_hz);
  return load.end_rate_hz > 0 ? from + "-" + human_rate(load.end_rate_hz) : from;
}

std::string answer_sentence(const RankedLoad& load, Trust trust) {
  if (load.paths.size() < 2) return "";
  std::set<std::string> machines;
  for (const RankedPath& path : load.paths) machines.insert(path.result->machine.fingerprint);
  if (machines.size() > 1) {
    return fmt::format("No path is named the best: the runs are of {} different machines.",
                       machines.size());
  }
  if (trust == Trust::nothing) return no_trust_sentence(load.paths);
  const RankedPath* best = best_of(load.paths, trust, [](const RankedPath&) { return true; });
  const std::string at = at_rate(load);
  if (best == nullptr) {
    const auto by_machine = std::count_if(load.paths.begin(), load.paths.end(),
                                          [](const RankedPath& path) { return path.by_machine(); });
    return fmt::format("At {} no path here held the rate with every event accounted for.{}", at,
                       by_machine == 0
                           ? ""
                           : fmt::format(" {} of {} missed it by the machine's fault: end other "
                                         "programs, and run again.",
                                         by_machine, load.paths.size()));
  }
  return sentence_on(*best, at, trust) + survival_sentence(load.paths, *best, trust) +
         cpu_sentence(load.paths);
}

std::string unobserved_words(std::size_t unobserved, std::size_t trials) {
  return fmt::format(
      "nobody looked whether the machine was free before {} of {} trials "
      "(--noise-s 0)",
      unobserved, trials);
}

std::string figures_sentence(const RankedPath& path, const RankedLoad& load) {
  const std::string name = path.result->sink.label;
  const Latency& response = path.step->response;
  if (path.step->trials == 0 || response.count == 0 || path.ledger.all_lost())
    return fmt::format("{} at {}: no event was logged.", name, at_rate(load));
  const std::string times =
      fmt::format("half of its calls returned within {}, 99 % within {}",
                  human_duration(response.p50_ns), human_duration(response.p99_ns));
  std::string lost = "its events were not read back";
  if (!path.ledger.unchecked) {
    lost = fmt::format("{} of {} events {} lost", path.ledger.lost, path.ledger.emitted,
                       path.ledger.lost == 1 ? "was" : "were");
  }
  if (load.rate_hz <= 0) {
    return fmt::format("{} took {} events/s: {}; {}.", name,
                       human_rate(path.step->achieved_rate_hz), times, lost);
  }
  return fmt::format("{} at {}{}: {} of the time they were due; {}.", name, at_rate(load),
                     path.step->saturated ? ", which was not reached" : "", times, lost);
}

bool was_busy(const Results& results) {
  return gaps_in(results).busy_trials > 0;
}

std::string machine_sentence(const Results& results) {
  std::size_t trials = 0;
  std::size_t incomplete = 0;
  for (const auto& [name, result] : results) {
    trials += result.trials.size();
    incomplete += static_cast<std::size_t>(
        std::count_if(result.trials.begin(), result.trials.end(),
                      [](const Trial& trial) { return trial.outcome != TrialOutcome::completed; }));
  }
  std::string text = "Machine: " + machine_words(gaps_in(results), trials);
  if (incomplete > 0) text += fmt::format(" {} trials did not complete.", incomplete);
  return text;
}

std::set<std::string> labels_of(const Results& results) {
  std::set<std::string> labels;
  for (const auto& [name, result] : results) {
    if (!result.label.empty()) labels.insert(result.label);
  }
  return labels;
}

std::string restrictions(const Results& results, const Painter& painter) {
  std::string text;
  for (const std::string& label : labels_of(results))
    text += note("restricted use: " + label, "", painter);
  const auto ended_early =
      std::count_if(results.begin(), results.end(),
                    [](const NamedResult& named) { return !named.result.complete; });
  if (ended_early > 0) {
    text +=
        note(fmt::format("{} of {} runs ended before its last trial", ended_early, results.size()),
             "run again for all trials", painter);
  }
  return text;
}

}  // namespace tailgate
