#include "harness/result/overhead_summary.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include "harness/stats/mean_interval.h"

namespace tailgate {
namespace {

constexpr double kConfidence = 0.95;

// One role's figures in one trial; absent if not measured.
struct RoleFigures {
  std::optional<double> cpu_ns_per_event;
  std::optional<double> machine_percent;
  std::optional<double> switches_per_event;
  std::optional<double> faults_per_event;
  std::optional<double> written_bytes_per_event;
};

using Figure = std::optional<double> RoleFigures::*;
using Summary = std::optional<Estimate> RoleOverhead::*;
constexpr std::array<std::pair<Figure, Summary>, 5> kFigures = {{
    {&RoleFigures::cpu_ns_per_event, &RoleOverhead::cpu_ns_per_event},
    {&RoleFigures::machine_percent, &RoleOverhead::machine_percent},
    {&RoleFigures::switches_per_event, &RoleOverhead::switches_per_event},
    {&RoleFigures::faults_per_event, &RoleOverhead::faults_per_event},
    {&RoleFigures::written_bytes_per_event, &RoleOverhead::written_bytes_per_event},
}};

std::optional<double> number(const Counters::Count& count) {
  return count ? std::optional(static_cast<double>(*count)) : std::nullopt;
}

std::optional<double> plus(std::optional<double> a, std::optional<double> b) {
  return a && b ? std::optional(*a + *b) : std::nullopt;
}

const Counters* role_counters(const Overhead& overhead, const std::string& role) {
  for (const RoleUse& use : overhead.roles) {
    const bool counted = use.processes > 0 || role == "rest" || role == "machine";
    if (use.role == role) return counted ? &use.counters : nullptr;
  }
  return nullptr;
}

// The time spent spinning is known only for the provider; the machine's is the same.
std::optional<double> busy_of_role(const Overhead& overhead, const Counters& counters,
                                   const std::string& role, unsigned threads) {
  const Counters* const provider = role_counters(overhead, "provider");
  if (role != "machine" || provider == nullptr) return busy_cpu_ns(overhead, counters, threads);
  const std::optional<double> busy_ns = busy_cpu_ns(overhead, *provider, threads);
  const std::optional<double> machine_ns = number(counters.cpu_ns);
  if (!busy_ns || !machine_ns) return {};
  return *machine_ns - (static_cast<double>(*provider->cpu_ns) - *busy_ns);
}

RoleFigures figures_of_role(const Trial& trial, const std::string& role) {
  const Overhead& overhead = *trial.overhead;
  const Counters* const counters = role_counters(overhead, role);
  if (counters == nullptr) return {};
  const auto events = static_cast<double>(overhead.events);
  const auto window_ns = static_cast<double>(overhead.end_ns - overhead.start_ns);
  const auto by_event = [events](std::optional<double> total) {
    return total && events > 0 ? std::optional(*total / events) : std::nullopt;
  };
  const std::optional<double> busy_ns = busy_of_role(overhead, *counters, role, trial.load.threads);
  RoleFigures figures;
  figures.cpu_ns_per_event = by_event(busy_ns);
  // In a closed loop the load is always busy, whatever a call costs.
  if (busy_ns && window_ns > 0 && overhead.processors > 0 && trial.load.shape != Shape::max) {
    figures.machine_percent = 100 * *busy_ns / window_ns / overhead.processors;
  }
  figures.switches_per_event = by_event(number(counters->switches));
  figures.faults_per_event =
      by_event(plus(number(counters->minor_faults), number(counters->major_faults)));
  figures.written_bytes_per_event = by_event(
      number(role == "machine" ? counters->storage_written_bytes : counters->written_bytes));
  return figures;
}

// The kernel's threads report processor time only; their other counters are taken as zero.
RoleFigures figures_of_logging(const Trial& trial) {
  RoleFigures total;
  for (const char* role : {"provider", "daemons", "kernel"}) {
    const RoleFigures part = figures_of_role(trial, role);
    for (const auto& [figure, summary] : kFigures) {
      if (part.*figure) total.*figure = (total.*figure).value_or(0) + *(part.*figure);
    }
  }
  return total;
}

RoleFigures figures_of(const Trial& trial, const std::string& role) {
  return role == kLoggingRole ? figures_of_logging(trial) : figures_of_role(trial, role);
}

// A role that the control trial did not have used nothing there.
std::optional<double> above_control(const TrialPair& pair, const std::string& role, Figure figure) {
  const std::optional<double> value = figures_of(*pair.trial, role).*figure;
  if (!value || pair.control == nullptr) return value;
  return *value - (figures_of(*pair.control, role).*figure).value_or(0);
}

std::optional<Estimate> estimate(const std::vector<double>& values) {
  if (values.empty()) return {};
  if (values.size() == 1) return Estimate{values.front(), {}};
  const MeanInterval interval = mean_interval(values, kConfidence);
  return Estimate{interval.mean, interval.half_width};
}

bool had_processes(const std::vector<TrialPair>& pairs, const std::string& role) {
  return role == kLoggingRole || std::any_of(pairs.begin(), pairs.end(), [&](const auto& pair) {
           return role_counters(*pair.trial->overhead, role) != nullptr;
         });
}

bool usable(const Trial& trial) {
  return trial.outcome == TrialOutcome::completed && trial.overhead.has_value();
}

}  // namespace

std::optional<double> busy_cpu_ns(const Overhead& overhead, const Counters& role,
                                  unsigned threads) {
  const std::optional<double> cpu_ns = number(role.cpu_ns);
  if (!cpu_ns || !role.spun_ns) return cpu_ns;
  const auto spun_ns = static_cast<double>(*role.spun_ns);
  const double thread_ns = static_cast<double>(overhead.end_ns - overhead.start_ns) * threads;
  const double spinning = thread_ns > 0 ? std::min(1.0, spun_ns / thread_ns) : 0;
  const double waited_ns = number(role.run_queue_ns).value_or(0) * spinning;
  return *cpu_ns - std::max(0.0, spun_ns - waited_ns);
}

std::vector<TrialPair> overhead_pairs(const Result& result, unsigned step) {
  std::map<unsigned, const Trial*> controls;
  for (const Trial& control : result.controls) {
    if (usable(control)) controls[control.index] = &control;
  }
  std::vector<TrialPair> pairs;
  for (const Trial& trial : result.trials) {
    if (trial.step != step || !usable(trial)) continue;
    const auto found = controls.find(trial.index);
    if (found == controls.end() && !result.controls.empty()) continue;
    pairs.push_back({&trial, found == controls.end() ? nullptr : found->second});
  }
  return pairs;
}

std::vector<RoleOverhead> summarize_overhead(const std::vector<TrialPair>& pairs) {
  if (pairs.empty()) return {};
  std::vector<std::string> roles;
  for (const RoleUse& use : pairs.front().trial->overhead->roles) roles.push_back(use.role);
  roles.push_back(kLoggingRole);
  std::vector<RoleOverhead> all;
  for (const std::string& role : roles) {
    if (!had_processes(pairs, role)) continue;
    RoleOverhead& overhead = all.emplace_back();
    overhead.role = role;
    overhead.trials = static_cast<unsigned>(pairs.size());
    for (const auto& [figure, summary] : kFigures) {
      std::vector<double> values;
      for (const TrialPair& pair : pairs) {
        if (const auto value = above_control(pair, role, figure)) values.push_back(*value);
      }
      overhead.*summary = estimate(values);
    }
  }
  return all;
}

std::optional<Estimate> summarize_victim(const std::vector<TrialPair>& pairs) {
  std::vector<double> values;
  for (const auto& [trial, control] : pairs) {
    if (control == nullptr || !trial->victim || !control->victim) continue;
    if (trial->victim->rounds_per_s <= 0) continue;
    const double slower = control->victim->rounds_per_s / trial->victim->rounds_per_s;
    values.push_back(100 * (slower - 1));
  }
  return estimate(values);
}

}  // namespace tailgate
