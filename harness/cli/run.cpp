// tailgate run: runs a scenario, a preset or a suite, and writes one result file a run.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <memory>
#include <set>

#include "harness/cli/budgets.h"
#include "harness/cli/commands.h"
#include "harness/cli/known_names.h"
#include "harness/cli/preset_folders.h"
#include "harness/cli/result_files.h"
#include "harness/cli/surroundings.h"
#include "harness/cli/terminal.h"
#include "harness/explain/start_trace.h"
#include "harness/gate/gate.h"
#include "harness/os/affinity.h"
#include "harness/os/install_paths.h"
#include "harness/os/process.h"
#include "harness/profile/sampler.h"
#include "harness/report/exporter.h"
#include "harness/report/human.h"
#include "harness/result/files.h"
#include "harness/result/json.h"
#include "harness/result/latency.h"
#include "harness/run/attempts.h"
#include "harness/run/preset.h"
#include "harness/run/runner.h"
#include "harness/trial/result_facts.h"
#include "harness/trial/scratch.h"

namespace tailgate {
namespace {

// What runs without a NAME.
constexpr const char* kFirstSuite = "first";

struct RunArguments {
  std::string name = kFirstSuite;
  std::vector<std::string> sink_lists;
  std::vector<std::string> settings;
  std::optional<unsigned> trials;
  std::optional<std::string> pacing;
  std::string out = ".";
  std::string consume = "auto";
  PlacementArguments placement;
  std::string scratch;
  std::string clock = "auto";
  RecordingArguments recording;
  BudgetArguments budgets;
  double hang_timeout_s = 10;
  int digits = 3;
  bool no_control = false;
  bool victim = false;
  std::string explain;              // empty: not asked for; default, deep
  bool no_explain = false;          // neither: as the preset says
  std::optional<double> sample_hz;  // nothing: profile::kSampleRateHz
  bool keep = false;
  bool force = false;
  bool resume = false;
  bool plan = false;
  std::size_t part = 0;  // of a suite, from 1; 0: all of it
  bool json = false;
  bool quiet = false;

  std::vector<Setting> given() const { return parse_settings(settings); }
  // As one list, separated by commas; empty: those of the preset.
  std::string sinks() const { return fmt::format("{}", fmt::join(sink_lists, ",")); }
};

constexpr std::uint64_t kLongestNs = 3'600'000'000'000;  // an hour: the histograms' range

// Throws Error for options and settings that would play no part.
void check_arguments(const RunArguments& arguments) {
  const bool of_runs =
      arguments.json || arguments.keep || arguments.force || arguments.budgets.given();
  if (arguments.resume && (arguments.force || arguments.plan)) {
    throw Error("--resume goes on with a result, so --force and --plan play no part",
                "leave them out, or --resume");
  }
  if (arguments.plan && of_runs) {
    throw Error("--plan runs nothing, so --json, --keep, --force and budgets play no part",
                "leave them out, or --plan");
  }
  std::set<std::string> names;
  for (const Setting& setting : arguments.given()) names.insert(setting.name);
  if (arguments.trials && names.contains("trials")) {
    throw Error("trials are given twice, with --trials and with --set", "keep one of the two");
  }
  if (arguments.pacing && names.contains("pacing")) {
    throw Error("pacing is given twice, with --pacing and with --set", "keep one of the two");
  }
  if (names.contains("events") && names.contains("duration_s")) {
    throw Error("a load ends after its events or after its duration, and both are set",
                "keep one of events and duration_s");
  }
}

// Settings of the command line apply to every run of a preset that has the option.
void apply_settings(const RunArguments& arguments, Options& options) {
  for (const Setting& setting : arguments.given()) options.set(setting.name, setting.value);
  if (arguments.trials) options.set("trials", std::to_string(*arguments.trials));
  if (arguments.pacing) options.set("pacing", *arguments.pacing);
}

bool is_same(const RunRequest& a, const RunRequest& b) {
  const auto settings = [](const RunRequest& request) {
    std::string text;
    for (const Setting& setting : describe_options(request.options)) {
      text += setting.name + "=" + setting.value + "\n";
    }
    return text;
  };
  return a.scenario == b.scenario && a.sink.text == b.sink.text && settings(a) == settings(b);
}

std::vector<RunRequest> requests_from(const SinkCatalog& catalog, const RunArguments& arguments,
                                      const Preset& preset) {
  std::vector<RunRequest> requests;
  for (const PresetRun& run : preset.runs) {
    Options options = run.options;
    apply_settings(arguments, options);
    if (preset.runs.size() == 1) {
      check_pacing(options.given("pacing"), *run.scenario->next_step(options, {}));
    }
    std::vector<SinkChoice> sinks;
    if (!arguments.sink_lists.empty()) {
      sinks = catalog.choices(arguments.sinks());
    } else {
      for (const std::string& sink : run.sinks) sinks.push_back(catalog.choice(sink));
    }
    if (sinks.empty()) {
      throw Error(fmt::format("no sink to run '{}' against", arguments.name),
                  "name one or more: --sink null,file ('tailgate sinks' lists them)");
    }
    for (SinkChoice& sink : sinks) {
      RunRequest request{run.scenario, options,   std::move(sink), preset.name,
                         run.actions,  run.judge, &catalog};
      // Parts of a suite that differ in their sinks alone are one part for the user's sinks.
      const bool again = !arguments.sink_lists.empty() &&
                         std::any_of(requests.begin(), requests.end(),
                                     [&](const auto& other) { return is_same(other, request); });
      if (!again) requests.push_back(std::move(request));
    }
  }
  return requests;
}

// Goes on without the sinks that this machine lacks, and says which; one that is asked for alone
// must be there.
std::vector<RunRequest> available(std::vector<RunRequest> requests, const RunArguments& arguments,
                                  const TrialSettings& settings) {
  const bool alone = !arguments.sink_lists.empty() && requests.size() == 1;
  std::vector<RunRequest> available;
  for (RunRequest& request : requests) {
    const Probe probe = probe_request(request);
    if (!probe.available && !alone) {
      tell("left out: sink '{}' is not available here: {}\n  {}\n", request.sink.text, probe.reason,
           probe.remedy);
      continue;
    }
    check_request(request, settings);
    available.push_back(std::move(request));
  }
  return available;
}

std::vector<RunRequest> usable(std::vector<RunRequest> requests, const RunArguments& arguments,
                               const TrialSettings& settings) {
  std::vector<RunRequest> usable = available(std::move(requests), arguments, settings);
  if (usable.empty()) {
    throw Error(fmt::format("no sink of '{}' is available", arguments.name),
                "see 'tailgate sinks' for what to install");
  }
  return usable;
}

// Where the victim runs: everywhere but under the load.
std::vector<int> cpus_beside(const std::vector<int>& load_cpus) {
  std::vector<int> beside;
  for (const int cpu : initial_cpus()) {
    if (std::find(load_cpus.begin(), load_cpus.end(), cpu) == load_cpus.end()) {
      beside.push_back(cpu);
    }
  }
  if (load_cpus.empty() || beside.empty()) {
    throw Error("the load leaves no processor for the victim",
                "bind it to some of the processors with --load-cpus");
  }
  return beside;
}

TrialSettings trial_settings(const RunArguments& arguments, const Placement& placement) {
  TrialSettings settings;
  settings.range = {.lowest_discernible = 1,
                    .highest_trackable = kLongestNs,
                    .significant_digits = arguments.digits};
  settings.load_cpus = placement.load_cpus;
  settings.consumer_cpus = placement.consumer_cpus;
  if (arguments.victim) settings.victim_cpus = cpus_beside(placement.load_cpus);
  settings.consumer = parse_consumer(arguments.consume);
  arguments.recording.apply(settings);
  settings.hang_timeout_s = arguments.hang_timeout_s;
  settings.sample_hz = arguments.sample_hz.value_or(profile::kSampleRateHz);
  settings.trace_functions = arguments.explain == "deep";
  settings.keep_files = arguments.keep;
  return settings;
}

// "100k/s", of a ramp "1k-100k/s".
std::string rate_of(const Load& load) {
  if (load.shape == Shape::max) return "as fast as it can";
  const std::string to =
      load.shape == Shape::ramp ? "-" + human_rate(load.end_rate_hz) : std::string();
  return human_rate(load.rate_hz) + to + "/s";
}

// Writes each result as it grows, and shows how far the runs are.
class RunReporter : public RunObserver {
 public:
  RunReporter(ResultFiles& files, bool quiet) : files_(files), quiet_(quiet) {}

  void progress(const RunProgress& run, const TrialProgress& trial) override {
    if (quiet_) return;
    const std::string again = run.attempt > 1 ? fmt::format(" (attempt {})", run.attempt) : "";
    status_.show(fmt::format("trial {} of {}{}, {}, {} left: {}@{}, {}", run.trial, run.trials,
                             again, rate_of(run.load), human_wait(run.left_s),
                             run.run.scenario.name, run.run.sink.label, trial.what));
  }

  void runs_again(const RunProgress& run, const std::string& takers) override {
    if (quiet_) return;
    status_.clear();
    tell("{}@{} {} is run again, attempt {} of {}: {} took the load's processor\n",
         run.run.scenario.name, run.run.sink.label, rate_of(run.load), run.attempt, kMostAttempts,
         takers);
  }

  void trial_ended(const Result& run) override {
    files_.save(run);
    if (quiet_) return;
    status_.clear();
    const Trial& trial = run.trials.back();
    if (trial.outcome != TrialOutcome::completed) {
      tell("{}@{} trial {}: {}: {}\n", run.scenario.name, run.sink.label, trial.index,
           enum_text(trial.outcome), trial.outcome_detail);
    } else if (!status_.active()) {
      tell("{}@{} trial {} done\n", run.scenario.name, run.sink.label, trial.index);
    }
  }

  // A run that is killed in its first trial leaves a result, too: one that is not complete.
  void changed(const Result& run) override { files_.save(run); }

  bool full(const Result& run) override { return files_.full(run); }

 private:
  ResultFiles& files_;
  bool quiet_;
  StatusLine status_;
};

// What was interrupted and has gone on later is no trouble.
bool was_resumed(const Result& result, const Trial& trial) {
  return trial.outcome == TrialOutcome::interrupted && result.resumed;
}

// Whether the answer's `cannot` contains the reason for which the trial failed. Then the scenario
// has looked for a limit of the system and found it.
bool is_answer(const Result& result, const Trial& trial) {
  if (!result.answer || trial.outcome_detail.empty()) return false;
  const std::vector<std::string>& cannot = result.answer->cannot;
  return std::any_of(cannot.begin(), cannot.end(), [&](const std::string& what) {
    return what.find(trial.outcome_detail) != std::string::npos;
  });
}

// A sink may lose events; one that lost all of them was not measured. What is lost where a scenario
// with a question takes a sink past its limits is the answer; a trial that failed is none, unless
// the answer names it.
bool run_went_well(const Result& result) {
  if (!result.complete) return false;
  return std::all_of(result.trials.begin(), result.trials.end(), [&](const Trial& trial) {
    if (was_resumed(result, trial)) return true;
    if (trial.outcome != TrialOutcome::completed) return is_answer(result, trial);
    return result.answer || (trial.ledger.unaccounted == 0 && !trial.ledger.all_lost());
  });
}

void print_results(std::vector<Result> results, const ResultFiles& files,
                   const RunArguments& arguments) {
  if (arguments.json) {
    say("[");
    for (const Result& result : results) {
      std::cout << (&result == &results.front() ? "\n" : ",\n") << json_text(write_result(result));
    }
    say("]\n");
    return;
  }
  Results named;
  for (Result& result : results) {
    std::string file = files.written_to(result).string();
    named.push_back({std::move(file), std::move(result)});
  }
  std::cout << render(named, "text", {.colour = colour_wanted(stdout), .sort = ""});
  say("\nwrote:\n");
  for (const NamedResult& result : named) say("  {}\n", result.name);
}

BudgetVerdicts judge_results(const std::vector<Budget>& budgets, const std::vector<Result>& results,
                             const ResultFiles& files) {
  if (budgets.empty()) return {};
  std::vector<BudgetSubject> subjects;
  for (const Result& result : results) {
    subjects.push_back({files.written_to(result).string(), &result});
  }
  return judge_budgets(budgets, subjects);
}

// The exit code of a run with budgets is the verdict's: 1 means that a bound is broken, and what
// went wrong otherwise lets nobody pass.
int verdict_of_run(const BudgetVerdicts& verdicts, bool well, const RunArguments& arguments) {
  if (arguments.json) {
    tell_lines(render(verdicts, "text", {.colour = colour_wanted(stderr)}));
  } else {
    std::cout << '\n' << render(verdicts, "text", {.colour = colour_wanted(stdout)});
  }
  const VerdictOutcome outcome = verdicts.outcome();
  const bool invalid = !well && outcome != VerdictOutcome::fail;
  return verdict_exit_code(invalid ? VerdictOutcome::invalid : outcome);
}

// A suite's wish for explanations is met where they can be had in full; the user's own always.
bool explain_wanted(const RunArguments& arguments, const Preset& preset) {
  if (!arguments.explain.empty()) return true;
  if (arguments.no_explain || !preset.explain) return false;
  const Probe probe = activity::probe_trace();
  if (!probe.available && !arguments.quiet) {
    tell("slow calls are not explained: {}\n  {}\n", probe.reason, probe.remedy);
  }
  return probe.available;
}

// Throws Error where nothing is sampled.
void check_sampling(const RunArguments& arguments, const Preset& preset) {
  const bool explains = !arguments.no_explain && (!arguments.explain.empty() || preset.explain);
  if (!arguments.sample_hz || explains) return;
  throw Error("--sample-hz plays no part without explained calls",
              "leave it out, or add --explain");
}

Companions companions_of(const SinkCatalog& catalog, const RunArguments& arguments,
                         const Preset& preset) {
  Companions companions;
  if (!arguments.no_control) companions.control_sink = catalog.floor_choice();
  companions.traced = explain_wanted(arguments, preset);
  return companions;
}

Preset whole_preset_of(const Catalog& catalog, const RunArguments& arguments) {
  return find_preset(catalog, arguments.name, preset_folders());
}

// The preset, or the one part of it that is wanted.
Preset preset_of(const Catalog& catalog, const RunArguments& arguments) {
  Preset preset = whole_preset_of(catalog, arguments);
  if (arguments.part == 0) return preset;
  if (arguments.part > preset.runs.size()) {
    throw Error(fmt::format("'{}' has no part {}", arguments.name, arguments.part),
                fmt::format("give one from 1 to {}; --plan lists them", preset.runs.size()));
  }
  preset.runs = {preset.runs[arguments.part - 1]};
  return preset;
}

// Prints a line for each part of the suite, [[run]] in its file, that has a sink on this machine:
// its number, the seconds that it takes by plan, its scenario and sinks.
int show_plan(const Catalog& catalog, const RunArguments& arguments) {
  const Preset preset = as_usage([&] { return preset_of(catalog, arguments); });
  const Companions companions = companions_of(catalog.sinks, arguments, preset);
  const TrialSettings settings = trial_settings(arguments, choose_placement(arguments.placement));
  std::vector<RunRequest> planned;
  for (std::size_t i = 0; i < preset.runs.size(); ++i) {
    Preset part = preset;
    part.runs = {preset.runs[i]};
    std::vector<RunRequest> requests = as_usage([&] {
      return available(requests_from(catalog.sinks, arguments, part), arguments, settings);
    });
    std::erase_if(requests, [&](const RunRequest& request) {
      return std::any_of(planned.begin(), planned.end(),
                         [&](const RunRequest& other) { return is_same(other, request); });
    });
    if (requests.empty()) continue;
    planned.insert(planned.end(), requests.begin(), requests.end());
    std::vector<std::string> sinks;
    for (const RunRequest& request : requests) sinks.push_back(request.sink.text);
    say("{} {:.0f} {} {}\n", arguments.part == 0 ? i + 1 : arguments.part,
        std::ceil(planned_s(requests, settings, companions)), requests.front().scenario->name(),
        fmt::join(sinks, " "));
  }
  return kExitDone;
}

// Takes up what the runs measured before they were interrupted; those that are complete are left
// out. A run without a result begins.
void resume_runs(const ResultFiles& files, std::vector<RunRequest>& requests,
                 const Environment& environment) {
  std::erase_if(requests, [&](RunRequest& request) {
    const std::filesystem::path place = files.place_of(request);
    std::error_code ignored;
    if (!std::filesystem::exists(place, ignored)) return false;
    Result earlier = load_result(place);
    check_resumable(request, earlier, environment.machine, environment.build);
    if (earlier.complete) tell("'{}' is complete\n", place.string());
    const bool complete = earlier.complete;
    request.earlier = std::move(earlier);
    return complete;
  });
  if (requests.empty()) {
    throw Error("there is nothing to resume: every result is complete",
                "show it with 'tailgate show', or measure again with --force");
  }
}

// The parts of a suite write into one folder, so their names depend on the whole of it.
ResultFiles open_files(const Catalog& catalog, const RunArguments& arguments,
                       std::vector<RunRequest>& requests, const Environment& environment) {
  return as_usage([&] {
    const std::vector<RunRequest> all =
        requests_from(catalog.sinks, arguments, whole_preset_of(catalog, arguments));
    ResultFiles files(arguments.out, all, arguments.given());
    if (arguments.resume) resume_runs(files, requests, environment);
    files.open(requests, arguments.force);
    return files;
  });
}

int run(const Catalog& catalog, const RunArguments& arguments) {
  as_usage([&] { check_arguments(arguments); });
  if (arguments.plan) return show_plan(catalog, arguments);
  const std::vector<Budget> budgets = read_budgets(arguments.budgets);
  Environment environment;
  Companions companions;
  std::vector<RunRequest> requests = as_usage([&] {
    const Preset preset = preset_of(catalog, arguments);
    check_sampling(arguments, preset);
    companions = companions_of(catalog.sinks, arguments, preset);
    environment.placement = choose_placement(arguments.placement);
    environment.trial = trial_settings(arguments, environment.placement);
    std::vector<RunRequest> wanted = requests_from(catalog.sinks, arguments, preset);
    check_budgets(catalog.sinks, budgets, wanted);
    return usable(std::move(wanted), arguments, environment.trial);
  });
  const MachineInfo machine = collect_machine_info();
  environment.machine = machine_used(machine);
  environment.label = machine.restriction;
  environment.build = build_used();
  ResultFiles files = open_files(catalog, arguments, requests, environment);
  environment.trial.clock = measure_clock(arguments.clock == "os");
  catalog.sinks.sweep_dead_sessions();
  const Scratch scratch(arguments.scratch, arguments.keep);
  environment.scratch = scratch.path();
  prepare_output_folder(arguments.out, scratch.path());
  bind_this_thread(environment.placement.controller_cpus);
  if (!arguments.quiet) {
    tell("{} {}, about {}\n", requests.size(), requests.size() == 1 ? "run" : "runs",
         human_wait(planned_s(requests, environment.trial, companions)));
  }
  const InterruptFlag interrupt;
  RunReporter reporter(files, arguments.quiet);
  std::vector<Result> results =
      execute_runs(std::move(requests), environment, companions, reporter);
  const bool well =
      files.all_in_place() && std::all_of(results.begin(), results.end(), run_went_well);
  const BudgetVerdicts verdicts = judge_results(budgets, results, files);
  print_results(std::move(results), files, arguments);
  if (arguments.keep) tell("kept: {}\n", scratch.path().string());
  if (InterruptFlag::raised()) return kExitInterrupted;
  if (!budgets.empty()) return verdict_of_run(verdicts, well, arguments);
  return well ? kExitDone : kExitFailed;
}

void add_options(Command& command, RunArguments& arguments) {
  command.add_option("NAME", arguments.name, "scenario, preset, suite or .toml file")
      ->type_name("SCENARIO|FILE");
  command
      .add_option("--sink", arguments.sink_lists,
                  "sinks by comma, options by colon: file:mode=mmap")
      ->one_value_each_time()
      ->type_name("SINKS");
  command.add_option("--set", arguments.settings, "scenario option, name=value; may be repeated")
      ->one_value_each_time();
  command.add_option("--trials", arguments.trials, "fresh processes per step; short for --set")
      ->range(1u, 10'000u);
  command.add_option("--pacing", arguments.pacing, "how a load thread waits; short for --set")
      ->one_of(enum_choices<Pacing>());
  command.add_option("--out", arguments.out, "folder for the result files")
      ->type_name("DIR")
      ->capture_default_str();
  command.add_flag("--force", arguments.force, "replace result files that are there already");
  command.add_flag("--resume", arguments.resume, "go on with results that were interrupted");
  command.add_option("--consume", arguments.consume, "when to read the events back")
      ->one_of(consumer_choices())
      ->capture_default_str();
  command.add_option("--load-cpus", arguments.placement.load_cpus,
                     "of the load threads: auto, any, or as 1,2-3");
  command.add_option("--controller-cpus", arguments.placement.controller_cpus,
                     "processors of the controller, likewise");
  command.add_option("--consumer-cpus", arguments.placement.consumer_cpus,
                     "processors of the consumer, likewise");
  add_recording_options(command, arguments.recording);
  command.add_option("--digits", arguments.digits, "significant digits of the histograms")
      ->range(1, 4)
      ->capture_default_str();
  command
      .add_option("--hang-timeout-s", arguments.hang_timeout_s,
                  "a call that takes longer counts as hung")
      ->range(0.1, 3600.0)
      ->capture_default_str();
  command.add_option("--clock", arguments.clock, "of all times; os: the operating system's")
      ->one_of({"auto", "os"})
      ->capture_default_str();
  command.add_option("--scratch", arguments.scratch, "folder for the sinks' files; measured too")
      ->type_name("DIR");
  command.add_flag("--no-control", arguments.no_control,
                   "no trials on the null sink to tell overhead by");
  command.add_flag("--victim", arguments.victim, "also measure how much other work slows down");
  CommandOption* explain = command.add_flag("--explain", arguments.explain, {"default", "deep"},
                                            "also explain slow calls by traced trials; =deep:\n"
                                            "each function of the kernel, too");
  command.add_flag("--no-explain", arguments.no_explain, "no traced trials, also in a suite")
      ->excludes(explain);
  command
      .add_option(
          "--sample-hz", arguments.sample_hz,
          fmt::format("samples of explained calls a second, 0: no [{:g}]", profile::kSampleRateHz))
      ->range(0.0, profile::kMaxSampleRateHz);
  command.add_flag("--plan", arguments.plan, "run nothing: list parts, seconds and sinks");
  command.add_option("--part", arguments.part, "only this part of a suite, its N-th [[run]]")
      ->range(1u, 10'000u)
      ->type_name("N");
  command.add_flag("--keep", arguments.keep, "keep the sinks' files and the processes' output");
  add_budget_options(command, arguments.budgets);
  command.add_flag("--json", arguments.json, "print the results as JSON instead of a table");
  command.add_flag("--quiet", arguments.quiet, "no progress");
}

}  // namespace

void commands::add_run_command(Command& program, const Catalog& catalog, Action& action) {
  Command* command = program.add_subcommand("run", "Run a scenario, a preset or a suite");
  auto arguments = std::make_shared<RunArguments>();
  add_options(*command, *arguments);
  command->footer(
      "Writes OUT/<scenario>@<sink>*.json, one file a run, after each trial.\n"
      "A file that is there already stays, and nothing runs, unless --force is given.\n"
      "--plan prints a line for each part: its number, seconds, scenario and sinks.\n"
      "Without NAME it runs the suite 'first': half a minute, a line a sink, and one\n"
      "sentence on which is cheapest here.\n"
      "With budgets the exit code is their verdict: 0 pass, 1 fail, 3 inconclusive,\n"
      "4 invalid ('tailgate budget --help').\n"
      "Examples:\n"
      "  tailgate run --out out/first\n"
      "  tailgate run steady --sink null,file --set rate_hz=10000 --set duration_s=2 \\\n"
      "      --trials 5 --out results-today\n"
      "  tailgate run sweep --sink file:mode=write,spdlog --out sweep\n"
      "  sudo tailgate run steady --sink file --explain --out why\n"
      "  sudo tailgate run steady --sink file --explain=deep --out functions\n"
      "  tailgate run steady --sink file --trials 5 --budget 'file: p99 < 50us'\n"
      "  tailgate run quick --out quick");
  command->callback([&action, &catalog, arguments] {
    action = Action([&catalog, arguments] { return run(catalog, *arguments); },
                    arguments->budgets.given());
  });
}

}  // namespace tailgate
