#include "harness/run/duet/command_duet.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

#include "harness/base/error.h"
#include "harness/exec/call_floor.h"
#include "harness/exec/call_timing.h"
#include "harness/os/affinity.h"
#include "harness/os/command.h"
#include "harness/os/process.h"
#include "harness/os/remove_folder.h"
#include "harness/run/duet/call_figures.h"
#include "harness/run/duet/duet.h"
#include "harness/run/duet/line_program.h"
#include "harness/run/duet/resume.h"
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

class CommandRunner {
 public:
  CommandRunner(const CommandDuetRequest& request, const Environment& environment,
                const CommandDuetObserver& observer)
      : request_(request),
        environment_(environment),
        observer_(observer),
        layouts_(request.layouts_a, request.layouts_b, request.seed) {
    duet_.id = random_id();
    duet_.started_utc = duet_.finished_utc = utc_now();
    duet_.label = environment.label;
    duet_.a = request.a;
    duet_.b = request.b;
    duet_.a.layouts = layouts_used(request.layouts_a);
    duet_.b.layouts = layouts_used(request.layouts_b);
    if (request.reads != nullptr) duet_.reads = request.reads->name;
    if (request.calls) duet_.reads = calls_format(*request.calls);
    duet_.placement = environment.placement;
    duet_.machine = environment.machine;
    duet_.build = environment.build;
    duet_.seed = request.seed;
    duet_.planned_rounds = request.rounds;
    duet_.timeout_s = request.timeout_s;
    if (request.earlier != nullptr) go_on_after(duet_, *request.earlier);
    begin_part(duet_);
  }

  CommandDuet run() {
    if (request_.calls && request_.earlier == nullptr) note_timing();
    // The first run of a program finds its files outside of the page cache, so it is not recorded,
    // unless it shows that the program does not work.
    CommandRound warm_up = run_round(0);
    if (!warm_up.is_completed()) add(std::move(warm_up));
    while (!duet_.complete && !has_failed_ && !InterruptFlag::raised()) {
      add(run_round(static_cast<unsigned>(duet_.rounds.size())));
    }
    return std::move(duet_);
  }

 private:
  // Timing adds this to each call on both sides, so it makes a relative change look smaller.
  void note_timing() {
    const Floor floor = measure_call_floor(
        *request_.calls,
        {program_of_line(request_.a.command, request_.directory_a),
         program_of_line(request_.b.command, request_.directory_b)},
        environment_.trial.clock, environment_.placement.load_cpus, environment_.scratch);
    duet_.remarks.push_back({fmt::format("calls are timed by {}, which adds {:.0f} ns to each",
                                         means_name(request_.calls->means), floor.loop_ns),
                             "do not expect to see differences that are small against it"});
  }

  // A run that fails ends the duet: with it no verdict can be a pass.
  void add(CommandRound round) {
    if (InterruptFlag::raised()) return;
    round.index = static_cast<unsigned>(duet_.rounds.size());
    has_failed_ = !round.is_completed();
    duet_.rounds.push_back(std::move(round));
    duet_.finished_utc = utc_now();
    duet_.parts->back().rounds = static_cast<unsigned>(duet_.rounds.size());
    if (has_failed_) {
      duet_.remarks.push_back({"the duet was ended by a run that failed",
                               "see the last round's outcome_detail for the cause"});
    } else {
      duet_.complete = duet_.rounds.size() == request_.rounds || observer_.enough(duet_);
    }
    duet_.parts->back().stopped = duet_.complete || has_failed_;
    observer_.round_ended(duet_);
  }

  CommandRound run_round(unsigned index) {
    CommandRound round;
    round.started_utc = utc_now();
    layouts_.place(index);
    round.layout_pair = layouts_.pair_of(index);
    const RoundOrder order = round_order(request_.seed, index, 0, 0);
    round.a_first = order.a_first;
    const auto run_a = [&] {
      round.a = run_side("a", request_.a.command, request_.directory_a, order.environment_bytes_a);
    };
    if (round.a_first) run_a();
    round.b = run_side("b", request_.b.command, request_.directory_b, order.environment_bytes_b);
    if (!round.a_first) run_a();
    return round;
  }

  CommandRun run_side(const char* side, const std::string& command,
                      const std::filesystem::path& directory, unsigned environment_bytes) {
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
      options.before_start = [&timing](int pid) { timing->watch(pid); };
    }
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
  const CommandDuetObserver& observer_;
  PlacedLayouts layouts_;
  CommandDuet duet_;
  bool has_failed_ = false;
};

}  // namespace

CommandDuet run_command_duet(const CommandDuetRequest& request, const Environment& environment,
                             const CommandDuetObserver& observer) {
  return CommandRunner(request, environment, observer).run();
}

}  // namespace tailgate
