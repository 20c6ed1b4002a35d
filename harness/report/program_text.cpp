#include "harness/report/program_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/report/human.h"

namespace tailgate {
namespace {

// What timing adds to a call, in the median trial.
std::string timing_line(const Result& result) {
  std::vector<double> costs_ns;
  std::string means;
  for (const Trial& trial : result.trials) {
    if (!trial.program || trial.floor.service.count == 0) continue;
    means = trial.program->means;
    costs_ns.push_back(trial.floor.loop_ns);
  }
  if (costs_ns.empty()) return "";
  const auto middle = costs_ns.begin() + static_cast<std::ptrdiff_t>((costs_ns.size() - 1) / 2);
  std::nth_element(costs_ns.begin(), middle, costs_ns.end());
  return paragraph(
      fmt::format("timed by {}, which adds {} to each call", means, human_duration(*middle)));
}

std::string count_of(std::uint64_t count, const char* one, const char* several) {
  return fmt::format("{} {}", human_count(count), count == 1 ? one : several);
}

// What the program used in all, since an event's share of it is unknown where no calls are timed.
std::string processor_time(const Trial& trial) {
  if (!trial.overhead || trial.overhead->roles.empty()) return "";
  const std::optional<std::uint64_t> cpu_ns = trial.overhead->roles.front().counters.cpu_ns;
  if (!cpu_ns) return "";
  return fmt::format("{:.3f} s of processor time in {:.3f} s", static_cast<double>(*cpu_ns) / 1e9,
                     static_cast<double>(trial.overhead->end_ns - trial.overhead->start_ns) / 1e9);
}

std::string trial_lines(const Trial& trial) {
  const ProgramUse& program = *trial.program;
  std::vector<std::string> facts;
  for (const TimedCalls& timed : program.calls) {
    facts.push_back(fmt::format("{} {}", human_count(timed.calls), timed.name));
  }
  if (!facts.empty()) {
    facts.push_back(count_of(program.threads, "thread", "threads"));
    if (program.processes > 1) facts.push_back(count_of(program.processes, "", "processes"));
  }
  if (const std::string used = processor_time(trial); !used.empty()) facts.push_back(used);
  facts.push_back(program.ended_by);
  return paragraph(
      fmt::format("trial {}: {}; log: {}", trial.index, fmt::join(facts, ", "), program.log));
}

}  // namespace

std::string program_text(const Result& result) {
  std::string text = timing_line(result);
  for (const Trial& trial : result.trials) {
    if (trial.program) text += trial_lines(trial);
  }
  return text;
}

}  // namespace tailgate
