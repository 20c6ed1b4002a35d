#include "harness/gate/comparable.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace tailgate {
namespace {

bool has_same_loads(const Result& a, const Result& b) {
  if (a.trials.empty() || b.trials.empty()) return a.trials.size() == b.trials.size();
  for (const Trial& trial : b.trials) {
    bool found = false;
    for (const Trial& other : a.trials) {
      found = found || (other.step == trial.step && is_same_load(other.load, trial.load));
    }
    if (!found) return false;
  }
  return true;
}

// "step 2 (10000/s): ".
std::string step_text(const Trial& trial) {
  const double rate_hz = trial.load.rate_hz;
  return fmt::format("step {} ({}): ", trial.step,
                     rate_hz > 0 ? fmt::format("{}/s", rate_hz) : "max");
}

// A reason against every figure.
Incomparable of_all(std::string what, std::string remedy) {
  return {std::nullopt, {std::move(what), std::move(remedy)}};
}

// Adds what forbids to compare the figures of these trials, all of one step. step: that step, where
// the result has others that may be compared.
void add_of_trials(const std::vector<const Trial*>& trials, std::optional<unsigned> step,
                   const char* name, std::vector<Incomparable>& reasons) {
  const std::string where = step ? step_text(*trials.front()) : "";
  unsigned unaccounted = 0;
  unsigned lossy = 0;
  unsigned missed = 0;
  for (const Trial* trial : trials) {
    unaccounted += trial->ledger.unaccounted != 0 ? 1 : 0;
    lossy += trial->ledger.lost > 0 ? 1 : 0;
    missed += trial->rate_missed ? 1 : 0;
  }
  const auto add = [&](unsigned affected, const char* what, const char* remedy) {
    if (affected > 0) {
      reasons.push_back(
          {step,
           {fmt::format("{}{} of {}'s {} trials {}", where, affected, name, trials.size(), what),
            remedy}});
    }
  };
  add(unaccounted, "have events unaccounted for", "find out where they went");
  add(lossy, "lost events", "lower the rate or enlarge the sink's buffers");
  add(missed, "missed the rate", "lower it to one that the sink can hold on this machine");
}

void add_own(const Result& result, const char* name, std::vector<Incomparable>& reasons) {
  if (!result.label.empty()) {
    reasons.push_back(of_all(fmt::format("{}'s use is restricted: {}", name, result.label),
                             "measure on the system that the figures are to describe"));
  }
  std::map<unsigned, std::vector<const Trial*>> steps;
  for (const Trial& trial : result.trials) steps[trial.step].push_back(&trial);
  for (const auto& [step, trials] : steps) {
    add_of_trials(trials, steps.size() > 1 ? std::optional(step) : std::nullopt, name, reasons);
  }
}

}  // namespace

bool is_same_load(const Load& a, const Load& b) {
  const auto all = [](const Load& load) {
    return std::tie(load.shape, load.rate_hz, load.end_rate_hz, load.burst_events, load.burst_gap_s,
                    load.threads, load.processes, load.sessions, load.own_sessions, load.payload,
                    load.pacing);
  };
  return all(a) == all(b);
}

std::vector<Incomparable> why_incomparable(const Result& a, const Result& b) {
  std::vector<Incomparable> reasons;
  if (a.machine.fingerprint != b.machine.fingerprint) {
    reasons.push_back(of_all(fmt::format("they are of different machines, {} and {}",
                                         a.machine.fingerprint, b.machine.fingerprint),
                             "measure both on one machine"));
  }
  if (!has_same_loads(a, b)) {
    reasons.push_back(
        of_all("they were given different loads", "give both the same scenario and rate"));
  }
  if (a.explained != b.explained) {
    reasons.push_back(of_all(
        fmt::format("slow calls were explained in {} alone: a trace ran in turn with its trials",
                    a.explained ? "A" : "B"),
        "measure both with --explain, or both with --no-explain"));
  }
  add_own(a, "A", reasons);
  add_own(b, "B", reasons);
  return reasons;
}

const char* why_duet() {
  return "These results were not taken in duet. The speed of a machine drifts: two runs of the "
         "same "
         "program differ by more than most changes do. In measurements, tests against a stored "
         "baseline found a program different from itself in 19 to 100 % of comparisons, depending "
         "on the test; the gate's test in duet found none. So there is no verdict here. 'tailgate "
         "duet A B' runs both sides in turns on one processor, and 'tailgate gate' judges that.";
}

}  // namespace tailgate
