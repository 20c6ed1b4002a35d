#include "harness/report/ranking.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <tuple>
#include <utility>

#include "harness/result/overhead_summary.h"

namespace tailgate {
namespace {

// Without paths.
RankedLoad load_of(const Result& result, const StepSummary& step) {
  RankedLoad load;
  load.scenario = result.scenario.name;
  load.rate_hz = step.rate_hz;
  const auto trial =
      std::find_if(result.trials.begin(), result.trials.end(),
                   [&](const Trial& candidate) { return candidate.step == step.step; });
  if (trial != result.trials.end()) {
    load.threads = trial->load.threads;
    load.processes = trial->load.processes;
    load.sessions = trial->load.sessions;
    if (trial->load.shape == Shape::ramp) load.end_rate_hz = trial->load.end_rate_hz;
    load.payload = trial->load.payload;
  }
  return load;
}

bool is_same(const RankedLoad& a, const RankedLoad& b) {
  const auto all = [](const RankedLoad& load) {
    return std::tie(load.scenario, load.rate_hz, load.end_rate_hz, load.threads, load.processes,
                    load.sessions, load.payload);
  };
  return all(a) == all(b);
}

struct Column {
  std::string_view name;
  double (*value)(const RankedPath&);
};

constexpr double kNone = std::numeric_limits<double>::infinity();

// A time of the response distribution, where there is one.
template <std::uint64_t Latency::*kTime>
double time_of(const RankedPath& path) {
  const Latency& response = path.step->response;
  return response.count == 0 ? kNone : static_cast<double>(response.*kTime);
}

constexpr Column kColumnsOfPaths[] = {
    {"rate",
     [](const RankedPath& path) { return path.step->rate_hz > 0 ? path.step->rate_hz : kNone; }},
    {"p50", time_of<&Latency::p50_ns>},
    {"p99", time_of<&Latency::p99_ns>},
    {"p99.9", time_of<&Latency::p99_9_ns>},
    {"max", time_of<&Latency::max_ns>},
    {"lost", [](const RankedPath& path) { return static_cast<double>(path.ledger.lost); }},
    {"cpu",
     [](const RankedPath& path) {
       const Estimate* cpu_ns = path.cpu_ns();
       return cpu_ns != nullptr ? cpu_ns->mean : kNone;
     }},
};

constexpr std::string_view kByName = "sink";

constexpr const char* kWithoutDisk[] = {"tmpfs", "ramfs", "devtmpfs"};

}  // namespace

Trust trust_in(const std::vector<RankedPath>& paths) {
  double worst = -1;
  for (const RankedPath& path : paths) {
    double sum = 0;
    unsigned trials = 0;
    for (const Trial& trial : path.result->trials) {
      if (trial.step != path.step->step) continue;
      if (trial.noise.observed_ns == 0) return Trust::nothing;
      sum += trial.noise.lost_share;
      ++trials;
    }
    if (trials > 0) worst = std::max(worst, sum / trials);
  }
  if (worst < 0 || worst > kMedianShare) return Trust::nothing;
  return worst > kTailShare ? Trust::median : Trust::tails;
}

std::string memory_file_system(const Result& result) {
  for (const Trial& trial : result.trials) {
    for (const Setting& setting : trial.granted) {
      if (setting.name != "file_system") continue;
      for (const char* name : kWithoutDisk) {
        if (setting.value == name) return name;
      }
    }
  }
  return "";
}

bool RankedPath::by_itself() const {
  if (!step->saturated) return false;
  const auto trial = std::find_if(result->trials.begin(), result->trials.end(),
                                  [&](const Trial& one) { return one.step == step->step; });
  if (trial == result->trials.end()) return false;
  const double mean_rate_hz = (trial->load.rate_hz + trial->load.end_rate_hz) / 2;
  return static_cast<double>(step->service.p50_ns) * mean_rate_hz > 1e9 * trial->load.threads;
}

const Estimate* RankedPath::cpu_ns() const {
  for (const RoleOverhead& overhead : step->overhead) {
    if (overhead.role == kLoggingRole && overhead.cpu_ns_per_event) {
      return &*overhead.cpu_ns_per_event;
    }
  }
  return nullptr;
}

const std::vector<std::string>& ranking_columns() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> names = {std::string(kByName)};
    for (const Column& column : kColumnsOfPaths) names.emplace_back(column.name);
    return names;
  }();
  return names;
}

bool comes_before(const RankedPath& a, const RankedPath& b, std::string_view name) {
  if (name == kByName) return a.result->sink.label < b.result->sink.label;
  const auto* const column =
      std::find_if(std::begin(kColumnsOfPaths), std::end(kColumnsOfPaths),
                   [&](const Column& candidate) { return candidate.name == name; });
  return column != std::end(kColumnsOfPaths) && column->value(a) < column->value(b);
}

void sort_paths(std::vector<RankedPath>& paths, std::string_view column) {
  std::stable_sort(paths.begin(), paths.end(), [&](const RankedPath& a, const RankedPath& b) {
    return comes_before(a, b, column);
  });
}

RankedPath path_of(const Result& result, const StepSummary& step) {
  const StepFacts facts = step_facts(result, step.step);
  return {&result,         &step, facts.ledger, facts.busy_trials, facts.unobserved_trials,
          facts.all_trials};
}

std::vector<RankedLoad> rank(const Results& results, std::string_view column) {
  std::vector<RankedLoad> loads;
  for (const auto& [name, result] : results) {
    if (result.answer) continue;  // its steps are parts of one answer, not loads to compare
    for (const StepSummary& step : result.summary) {
      const RankedLoad of_step = load_of(result, step);
      auto load = std::find_if(loads.begin(), loads.end(),
                               [&](const RankedLoad& other) { return is_same(other, of_step); });
      if (load == loads.end()) load = loads.insert(loads.end(), of_step);
      load->paths.push_back(path_of(result, step));
    }
  }
  for (RankedLoad& load : loads) sort_paths(load.paths, column);
  const auto first =
      std::max_element(loads.begin(), loads.end(), [](const RankedLoad& a, const RankedLoad& b) {
        return std::pair(a.paths.size(), a.rate_hz) < std::pair(b.paths.size(), b.rate_hz);
      });
  if (first != loads.end()) std::rotate(loads.begin(), first, first + 1);
  return loads;
}

}  // namespace tailgate
