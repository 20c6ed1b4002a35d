#include "harness/report/recommend.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "harness/report/answer_sentence.h"
#include "harness/report/human.h"
#include "harness/report/ranking.h"
#include "harness/result/load_words.h"
#include "harness/stats/trial_interval.h"

namespace tailgate {
namespace {

// A step of a result, and the load that was planned for it.
struct MeasuredStep {
  const NamedResult* named;
  const StepSummary* step;
  const Load* load;
};

std::vector<MeasuredStep> steps_of(const Results& results) {
  std::vector<MeasuredStep> steps;
  for (const NamedResult& named : results) {
    for (const StepSummary& step : named.result.summary) {
      const auto trial =
          std::find_if(named.result.trials.begin(), named.result.trials.end(),
                       [&](const Trial& candidate) { return candidate.step == step.step; });
      if (trial != named.result.trials.end()) steps.push_back({&named, &step, &trial->load});
    }
  }
  return steps;
}

bool has_rate(const MeasuredStep& measured, const LoggingNeeds& needs) {
  return measured.load->shape == Shape::steady && measured.load->threads == needs.threads &&
         !measured.load->processes && !measured.load->sessions &&
         std::abs(measured.load->rate_hz - needs.rate_hz) <= 1e-3 * needs.rate_hz;
}

// The size that most sinks were measured with at that rate, of several the first.
std::string usual_payload(const std::vector<MeasuredStep>& steps, const LoggingNeeds& needs) {
  std::map<std::string, std::set<std::string>> sinks;
  for (const MeasuredStep& measured : steps) {
    if (has_rate(measured, needs)) {
      sinks[measured.load->payload].insert(measured.named->result.sink.label);
    }
  }
  const auto most = std::max_element(sinks.begin(), sinks.end(), [](const auto& a, const auto& b) {
    return a.second.size() < b.second.size();
  });
  return most == sinks.end() ? "" : most->first;
}

std::string load_text(const Load& load) {
  const std::string rate =
      load.rate_hz > 0 ? human_rate(load.rate_hz) + "/s" : std::string("the highest rate");
  return fmt::format("{} {} of {} bytes{}", enum_text(load.shape), rate, load.payload,
                     writer_words(load));
}

// How far a load is from the one that is asked for: what differs in kind first, then the rate.
auto distance(const Load& load, const LoggingNeeds& needs, const std::string& payload) {
  const double ratio = load.rate_hz > 0 ? std::abs(std::log(load.rate_hz / needs.rate_hz))
                                        : std::numeric_limits<double>::max();
  return std::tuple(load.shape != Shape::steady, load.threads != needs.threads,
                    load.processes.has_value(), load.sessions.has_value(),
                    !payload.empty() && load.payload != payload, ratio);
}

std::string lost_text(const StepLedger& ledger) {
  return fmt::format("{} of {} events ({:.2g} %)", ledger.lost, ledger.emitted,
                     100 * static_cast<double>(ledger.lost) /
                         static_cast<double>(std::max<std::uint64_t>(1, ledger.emitted)));
}

void add_survival(const Result& result, const LoggingNeeds& needs, Candidate& candidate) {
  candidate.survives = result.sink.survives;
  if (needs.survives == Survives::nothing) return;
  if (!candidate.survives) {
    candidate.why_not.push_back(
        "its result does not say what its events survive: measure it again with this version");
    return;
  }
  if (*candidate.survives < needs.survives) {
    candidate.why_not.push_back(fmt::format("its events survive {}, and {} is asked for",
                                            enum_text(*candidate.survives),
                                            enum_text(needs.survives)));
    return;
  }
  const std::string in_memory = memory_file_system(result);
  if (needs.survives == Survives::crash && !in_memory.empty()) {
    candidate.why_not.push_back(fmt::format(
        "its file was on {}, which a crash empties: measure it on a disk (--scratch)", in_memory));
  }
}

void add_reasons(const RankedPath& path, const LoggingNeeds& needs, Candidate& candidate) {
  const auto add = [&](std::string reason) { candidate.why_not.push_back(std::move(reason)); };
  const StepSummary& step = *path.step;
  const StepLedger& ledger = path.ledger;
  if (step.trials < path.all_trials) {
    add(fmt::format("{} of {} trials did not complete", path.all_trials - step.trials,
                    path.all_trials));
  }
  if (step.trials > 0 && step.saturated) {
    add(fmt::format("it did not hold the rate: {} of {} events/s{}",
                    human_rate(step.achieved_rate_hz), human_rate(step.rate_hz),
                    path.by_machine() ? ", by the machine's fault: measure it again" : ""));
  }
  if (!ledger.balanced) add("events are unaccounted for");
  if (ledger.unchecked) {
    add("its events could not be read back");
  } else if (!ledger.checked && step.trials == path.all_trials) {
    add("its events are not read back, so nobody knows what it lost");
  }
  const double share = static_cast<double>(ledger.lost) /
                       static_cast<double>(std::max<std::uint64_t>(1, ledger.emitted));
  if (share > needs.most_lost_share) add("it lost " + lost_text(ledger));
  add_survival(*path.result, needs, candidate);
}

Candidate candidate_of(const RankedPath& path, const std::string& file, const LoggingNeeds& needs,
                       Trust trust) {
  Candidate candidate;
  candidate.sink = path.result->sink.label;
  candidate.file = file;
  candidate.measured = true;
  candidate.trials = path.step->trials;
  candidate.response = path.step->response;
  candidate.response.hdr.clear();
  candidate.achieved_rate_hz = path.step->achieved_rate_hz;
  candidate.emitted = path.ledger.emitted;
  candidate.lost = path.ledger.lost;
  if (const Estimate* cpu_ns = path.cpu_ns()) candidate.cpu_ns = cpu_ns->mean;
  add_reasons(path, needs, candidate);
  if (trust == Trust::nothing) {
    candidate.why_not.push_back(
        path.unobserved_trials > 0
            ? "nobody looked whether the machine was free: measure it again"
            : "its figures are the machine's, which was busy: measure it again");
  }
  return candidate;
}

// A sink that was measured at other loads alone.
Candidate elsewhere(const MeasuredStep& nearest) {
  Candidate candidate;
  candidate.sink = nearest.named->result.sink.label;
  candidate.file = nearest.named->name;
  candidate.survives = nearest.named->result.sink.survives;
  candidate.why_not.push_back(
      fmt::format("it was not measured at that load; nearest: {}", load_text(*nearest.load)));
  return candidate;
}

// What is ordered by: the quantile, and how many calls in a hundred or thousand lie beyond it.
struct Tail {
  const char* name;
  std::uint64_t Latency::*time_ns;
  double share;
};

Tail tail_of(const std::string& sort) {
  if (sort == "p99.9") return {"p99.9", &Latency::p99_9_ns, 0.001};
  if (sort == "p50") return {"p50", &Latency::p50_ns, 0.5};
  return {"p99", &Latency::p99_ns, 0.01};
}

void add_doubts(const std::vector<RankedPath>& paths, Recommendation& recommendation) {
  unsigned busy = 0;
  unsigned unobserved = 0;
  unsigned all = 0;
  std::vector<std::string> single;
  std::vector<std::string> few;
  std::set<std::string> machines;
  std::set<std::string> labels;
  const Tail tail = tail_of(recommendation.needs.sort);
  for (const RankedPath& path : paths) {
    const std::string& sink = path.result->sink.label;
    busy += path.busy_trials;
    unobserved += path.unobserved_trials;
    all += path.all_trials;
    machines.insert(path.result->machine.fingerprint);
    if (!path.result->label.empty()) labels.insert(path.result->label);
    if (path.step->trials == 1) single.push_back(sink);
    if (path.step->trials == 0) continue;
    const double calls =
        static_cast<double>(path.step->response.count) / static_cast<double>(path.step->trials);
    if (calls * tail.share < kLeastBeyond) few.push_back(sink);
  }
  std::vector<std::string>& doubts = recommendation.doubts;
  for (const std::string& label : labels) doubts.push_back("restricted use: " + label);
  const bool own_tails = all == 0 || trust_in(paths) == Trust::tails;
  if (busy > 0) {
    doubts.push_back(fmt::format("the machine was busy in {} of {} trials{}", busy, all,
                                 own_tails ? "" : ": it decides the tails, not the sinks"));
  } else if (unobserved > 0) {
    doubts.push_back(unobserved_words(unobserved, all));
  } else if (!own_tails) {
    doubts.push_back(
        fmt::format("the machine decides the tails, not the sinks: an idle thread did not run for "
                    "over {:.1f} % of the time before the trials",
                    kTailShare * 100));
  }
  if (machines.size() > 1) {
    doubts.push_back(fmt::format("the results are of {} different machines", machines.size()));
  }
  if (!single.empty()) {
    doubts.push_back(fmt::format("one trial only: {}", fmt::join(single, ", ")));
  }
  if (!few.empty()) {
    doubts.push_back(fmt::format("fewer than {:.0f} calls of a trial lie beyond {}: {}",
                                 kLeastBeyond, tail.name, fmt::join(few, ", ")));
  }
}

std::optional<TrialInterval> tail_interval(const RankedPath& path, const Tail& tail) {
  std::vector<double> values;
  for (const Trial& trial : path.result->trials) {
    if (trial.step != path.step->step || trial.outcome != TrialOutcome::completed) continue;
    values.push_back(static_cast<double>(trial.response.*tail.time_ns));
  }
  constexpr double kConfidence = 0.95;
  return trial_interval(values, kConfidence);
}

// Which of those that qualify have an interval over their trials that meets the best one's.
void add_close(const std::vector<RankedPath>& qualified, Recommendation& recommendation) {
  if (qualified.size() < 2) return;
  const std::string& sort = recommendation.needs.sort;
  if (sort != "p50" && sort != "p99" && sort != "p99.9") return;
  const Tail tail = tail_of(sort);
  const auto best = tail_interval(qualified.front(), tail);
  for (std::size_t i = 1; best && i < qualified.size(); ++i) {
    const auto other = tail_interval(qualified[i], tail);
    if (other && other->low <= best->high) {
      recommendation.close.push_back(qualified[i].result->sink.label);
    }
  }
}

// By sink, in the order of the results: the latest step at that load, or else the nearest one.
struct Choice {
  const MeasuredStep* at_load = nullptr;
  const MeasuredStep* nearest = nullptr;
};

std::vector<std::pair<std::string, Choice>> choose(const std::vector<MeasuredStep>& steps,
                                                   const LoggingNeeds& needs,
                                                   const std::string& payload) {
  std::vector<std::pair<std::string, Choice>> sinks;
  for (const MeasuredStep& measured : steps) {
    const std::string& label = measured.named->result.sink.label;
    auto found = std::find_if(sinks.begin(), sinks.end(),
                              [&](const auto& other) { return other.first == label; });
    if (found == sinks.end()) found = sinks.insert(sinks.end(), {label, {}});
    Choice& choice = found->second;
    if (choice.nearest == nullptr || distance(*measured.load, needs, payload) <
                                         distance(*choice.nearest->load, needs, payload)) {
      choice.nearest = &measured;
    }
    if (!has_rate(measured, needs) || measured.load->payload != payload) continue;
    const auto started = [](const MeasuredStep* step) { return step->named->result.started_utc; };
    if (choice.at_load == nullptr || started(&measured) >= started(choice.at_load)) {
      choice.at_load = &measured;
    }
  }
  return sinks;
}

}  // namespace

std::string run_to_make(const LoggingNeeds& needs, const std::string& payload,
                        const std::vector<std::string>& sinks) {
  const std::string threads =
      needs.threads > 1 ? fmt::format(" --set threads={}", needs.threads) : "";
  return fmt::format("tailgate run steady --sink {} --set rate_hz={:.10g}{}{} --trials 5 --out DIR",
                     sinks.empty() ? "SINK,SINK" : fmt::format("{}", fmt::join(sinks, ",")),
                     needs.rate_hz, payload.empty() ? "" : " --set payload=" + payload, threads);
}

Recommendation recommend(const Results& results, const LoggingNeeds& needs) {
  const std::vector<MeasuredStep> steps = steps_of(results);
  Recommendation recommendation;
  recommendation.needs = needs;
  recommendation.payload = needs.payload.empty() ? usual_payload(steps, needs) : needs.payload;
  std::vector<RankedPath> paths;
  std::map<const Result*, std::string> files;
  std::vector<Candidate> unmeasured;
  std::vector<std::string> to_measure;
  for (const auto& [label, choice] : choose(steps, needs, recommendation.payload)) {
    if (choice.at_load != nullptr) {
      paths.push_back(path_of(choice.at_load->named->result, *choice.at_load->step));
      files[&choice.at_load->named->result] = choice.at_load->named->name;
    } else {
      unmeasured.push_back(elsewhere(*choice.nearest));
      to_measure.push_back(label);
    }
  }
  const Trust trust = trust_in(paths);
  std::string& sort = recommendation.needs.sort;
  if (sort.empty()) sort = trust == Trust::median ? "p50" : "p99";
  sort_paths(paths, sort);
  std::vector<RankedPath> qualified;
  std::vector<Candidate> others;
  for (const RankedPath& path : paths) {
    Candidate candidate = candidate_of(path, files[path.result], needs, trust);
    if (candidate.qualifies()) qualified.push_back(path);
    (candidate.qualifies() ? recommendation.candidates : others).push_back(std::move(candidate));
  }
  for (std::vector<Candidate>* rest : {&others, &unmeasured}) {
    std::move(rest->begin(), rest->end(), std::back_inserter(recommendation.candidates));
  }
  add_doubts(qualified.empty() ? paths : qualified, recommendation);
  add_close(qualified, recommendation);
  if (!to_measure.empty() || results.empty()) {
    recommendation.measure = run_to_make(needs, recommendation.payload, to_measure);
  }
  return recommendation;
}

}  // namespace tailgate
