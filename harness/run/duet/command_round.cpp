#include "harness/run/duet/command_round.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>

#include "harness/base/error.h"
#include "harness/exec/call_timing.h"
#include "harness/os/affinity.h"
#include "harness/os/command.h"
#include "harness/os/process.h"
#include "harness/os/remove_folder.h"
#include "harness/run/duet/call_figures.h"
#include "harness/run/duet/duet_plan.h"
#include "harness/run/duet/line_program.h"
#include "harness/samples/format.h"
#include "harness/stats/quantile_interval.h"
#include "harness/trial/result_facts.h"

namespace tailgate {
namespace {

std::string with_out(std::string command, const std::string& out) {
  const std::string_view place = kOutPlace;
  for (std::size_t at = command.find(place); at != std::string::npos;
       at = command.find(place, at + out.size())) {
    command.replace(at, place.size(), out);
  }
  return command;
}

// The last part of a file; nothing where it cannot be read.
std::string end_of(const std::filesystem::path& path) {
  constexpr std::streamoff kMostBytes = 64 << 10;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return "";
  file.seekg(std::max<std::streamoff>(0, static_cast<std::streamoff>(file.tellg()) - kMostBytes));
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<CommandFigure> figures_in(const SampleFormat& format,
                                      const std::filesystem::path& file) {
  std::vector<CommandFigure> figures;
  for (const FigureSeries& series : load_samples(format, {file}).series) {
    figures.push_back(
        {series.name, series.metric, series.unit, series.headline, median(series.values)});
  }
  return figures;
}

class SideRunner {
 public:
  SideRunner(const CommandDuetRequest& request, const Environment& environment,
             const CommandRoundHooks& hooks)
      : request_(request), environment_(environment), hooks_(hooks) {}

  CommandRun run(char side, unsigned environment_bytes) const {
    const bool is_a = side == 'A';
    CommandRun run =
        run_side(is_a ? "a" : "b", is_a ? request_.a.command : request_.b.command,
                 is_a ? request_.directory_a : request_.directory_b, environment_bytes);
    if (hooks_.ended) hooks_.ended(side);
    return run;
  }

 private:
  CommandRun run_side(const char* side, const std::string& command,
                      const std::filesystem::path& directory, unsigned environment_bytes) const {
    CommandRun run;
    if (InterruptFlag::raised()) {
      run.outcome = TrialOutcome::interrupted;
      return run;
    }
    const std::filesystem::path out =
        std::filesystem::absolute(environment_.scratch) / fmt::format("{}-out", side);
    remove_folder(out);
    const std::filesystem::path output = environment_.scratch / fmt::format("{}-output", side);
    const std::filesystem::path log = environment_.scratch / fmt::format("{}-log", side);
    const std::vector<int>& cpus = environment_.placement.load_cpus;
    CommandOptions options{.command = with_out(command, out.string()),
                           .output = output,
                           .log = log,
                           .cpus = cpus.empty() ? initial_cpus() : cpus,
                           .directory = directory,
                           .limit = std::chrono::duration_cast<std::chrono::nanoseconds>(
                               std::chrono::duration<double>(request_.timeout_s))};
    std::optional<CallMemory> memory;
    std::optional<CallTiming> timing;
    if (request_.calls) {
      const ClockParameters& clock = environment_.trial.clock;
      memory.emplace(CallMemoryPlan{.slowest = 1, .clock = clock});
      timing.emplace(*request_.calls, program_of_line(command, directory), *memory, clock,
                     environment_.scratch);
      options.environment = timing->environment();
    }
    options.before_start = [&](int pid) {
      if (timing) timing->watch(pid);
      if (hooks_.before_start) hooks_.before_start(*side == 'a' ? 'A' : 'B', pid);
    };
    options.environment.push_back(environment_of_round(environment_bytes));
    const CommandEnd end = run_command(options);
    if (timing) timing->stop();
    run.wall_ns = end.wall_ns;
    run.cpu_ns = end.cpu_ns;
    set_outcome(end, run);
    const bool names_out = command.find(kOutPlace) != std::string::npos;
    if (run.outcome == TrialOutcome::completed) {
      read_figures(names_out ? out : output, memory ? &*memory : nullptr, run);
    }
    if (run.outcome != TrialOutcome::completed && run.outcome != TrialOutcome::interrupted) {
      keep_log(side, output, log, run);
    }
    return run;
  }

  void set_outcome(const CommandEnd& end, CommandRun& run) const {
    run.outcome_detail = end.end.text();
    if (end.stop == CommandStop::interrupted) {
      run.outcome = TrialOutcome::interrupted;
    } else if (end.stop == CommandStop::timed_out) {
      run.outcome = TrialOutcome::hung;
      run.outcome_detail = fmt::format("not ended after {:g} s", request_.timeout_s);
    } else if (!end.end.exited) {
      run.outcome = TrialOutcome::killed;
    } else if (end.end.code != 0) {
      run.outcome = TrialOutcome::failed;
    } else {
      run.outcome = TrialOutcome::completed;
      run.outcome_detail.clear();
    }
  }

  void read_figures(const std::filesystem::path& file, const CallMemory* memory,
                    CommandRun& run) const {
    try {
      if (request_.reads != nullptr) run.figures = figures_in(*request_.reads, file);
      if (memory != nullptr) run.figures = call_figures(*request_.calls, *memory);
    } catch (const Error& error) {
      run.outcome = TrialOutcome::failed;
      run.outcome_detail = error.what_failed();
    }
  }

  // What the run printed goes beside the result, since the scratch folder is removed.
  void keep_log(const char* side, const std::filesystem::path& output,
                const std::filesystem::path& log, CommandRun& run) const {
    const std::string kept = fmt::format("{}.{}.log", request_.logs.string(), side);
    std::ofstream file(kept, std::ios::binary);
    file << end_of(output) << end_of(log) << std::flush;
    run.outcome_detail += file ? fmt::format("; what it printed: {}", kept)
                               : fmt::format("; what it printed could not be written to {}", kept);
  }

  const CommandDuetRequest& request_;
  const Environment& environment_;
  const CommandRoundHooks& hooks_;
};

}  // namespace

CommandRound run_command_round(const CommandDuetRequest& request, const Environment& environment,
                               PlacedLayouts& layouts, unsigned number,
                               const CommandRoundHooks& hooks) {
  CommandRound round;
  round.started_utc = utc_now();
  layouts.place(number);
  round.layout_pair = layouts.pair_of(number);
  const RoundOrder order = round_order(request.seed, number, 0, 0);
  round.a_first = order.a_first;
  const SideRunner runner(request, environment, hooks);
  if (round.a_first) round.a = runner.run('A', order.environment_bytes_a);
  round.b = runner.run('B', order.environment_bytes_b);
  if (!round.a_first) round.a = runner.run('A', order.environment_bytes_a);
  return round;
}

}  // namespace tailgate
