// tailgate selftest: does the gate detect real changes on this machine, and raise no false alarm?
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>

#include "harness/cli/commands.h"
#include "harness/cli/gate_verdicts.h"
#include "harness/cli/planted_changes.h"
#include "harness/cli/terminal.h"
#include "harness/gate/calibration.h"
#include "harness/gate/gate.h"
#include "harness/os/atomic_file.h"
#include "harness/os/process.h"
#include "harness/report/exporter.h"
#include "harness/report/human.h"
#include "harness/result/files.h"
#include "harness/stats/quantile_interval.h"
#include "harness/trial/scratch.h"

namespace tailgate {
namespace {

using Seconds = std::chrono::duration<double>;

struct SelftestArguments {
  std::vector<std::string> sinks;
  std::vector<std::string> settings;
  std::vector<std::string> changes;
  std::string scenario = "steady";
  std::vector<std::string> records = {"calibration.json"};
  std::string policy;
  std::string scratch;
  std::filesystem::path json;
  unsigned same = 40;
  unsigned planted = 8;
  double minutes = 60;
  std::size_t relabel = 2000;
  bool show = false;
};

// Of side A: it starts the daemon too, so that the sides differ in its work and not in its memory.
constexpr const char* kIdleDaemon = "plant_daemon=true";
constexpr double kDaemonShare = 0.1;

unsigned runs_so_far(const Calibration& calibration, const std::string& sink,
                     const std::string& planted) {
  const auto count = std::count_if(
      calibration.runs.begin(), calibration.runs.end(),
      [&](const CalibrationRun& run) { return run.sink == sink && run.planted == planted; });
  return static_cast<unsigned>(count);
}

// kDaemonShare of the processor time per event that the sink used in its runs with nothing planted;
// empty without such runs.
std::optional<std::uint64_t> daemon_ns(const Calibration& calibration, const std::string& sink) {
  std::vector<double> used;
  for (const CalibrationRun& run : calibration.runs) {
    if (run.sink != sink || run.planted != kPlantedNothing) continue;
    for (const MetricSeries& series : run.metrics) {
      if (series.name == "cpu_ns_per_event") {
        std::copy_if(series.a.begin(), series.a.end(), std::back_inserter(used),
                     [](double value) { return !std::isnan(value); });
      }
    }
  }
  if (used.empty()) return {};
  return static_cast<std::uint64_t>(std::max(1.0, kDaemonShare * median(used)));
}

struct Step {
  std::string sink;
  const PlantedChange* change;
  std::string options_a;
  std::string options_b;
};

// The sink and change that has the smallest share of its wanted runs, so that a record stays
// balanced wherever it ends; of equal ones the first in the order of sinks and changes. Empty when
// every number of runs is reached.
std::optional<Step> next_step(const Calibration& calibration, const SelftestArguments& arguments) {
  std::optional<Step> next;
  double least = 1;
  for (const std::string& sink : arguments.sinks) {
    for (const std::string& name : arguments.changes) {
      const PlantedChange& change = find_planted_change(name);
      const unsigned wanted = name == kPlantedNothing ? arguments.same : arguments.planted;
      if (wanted == 0) continue;
      const double done = static_cast<double>(runs_so_far(calibration, sink, name)) / wanted;
      if (done >= least) continue;
      Step step{sink, &change, kNothingPlanted, change.options};
      if (name == kDaemonChange) {
        const auto ns = daemon_ns(calibration, sink);
        if (!ns) continue;
        step.options_a = kIdleDaemon;
        step.options_b = fmt::format("plant_daemon_ns={}", *ns);
      }
      least = done;
      next = std::move(step);
    }
  }
  return next;
}

// The arguments of `tailgate duet` for a step. The seed follows from the number of runs before it.
std::vector<std::string> duet_arguments(const Step& step, const SelftestArguments& arguments,
                                        std::size_t seed, const std::filesystem::path& file) {
  std::vector<std::string> words = {"duet",
                                    step.sink + ":" + step.options_a,
                                    step.sink + ":" + step.options_b,
                                    "--scenario",
                                    arguments.scenario,
                                    "--seed",
                                    std::to_string(seed),
                                    "--gate",
                                    "--allow-dirty",
                                    "--quiet",
                                    "--out",
                                    file.string()};
  for (const std::string& setting : arguments.settings) {
    words.insert(words.end(), {"--set", setting});
  }
  if (*step.change->setting != '\0') {
    words.insert(words.end(), {"--set", step.change->setting});
  }
  if (!arguments.policy.empty()) words.insert(words.end(), {"--policy", arguments.policy});
  if (!arguments.scratch.empty()) words.insert(words.end(), {"--scratch", arguments.scratch});
  return words;
}

// Runs one duet in a process of its own and judges the file that it wrote. Empty when the user
// interrupted. Throws Error when the process wrote no duet.
std::optional<CalibrationRun> measure(const Step& step, const SelftestArguments& arguments,
                                      const Policy& policy, std::size_t seed,
                                      const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "duet.json";
  const std::filesystem::path output = folder / "output";
  std::filesystem::remove(file);
  const auto begin = std::chrono::steady_clock::now();
  Child child = Child::start({.arguments = duet_arguments(step, arguments, seed, file),
                              .environment = {},
                              .inherited = {},
                              .output = output});
  std::optional<ChildEnd> end;
  while (!(end = child.wait_for(std::chrono::milliseconds(200)))) {
    if (InterruptFlag::raised()) return {};
  }
  const Seconds spent = std::chrono::steady_clock::now() - begin;
  if (!std::filesystem::exists(file)) {
    throw Error(fmt::format("the duet of '{}' with '{}' wrote nothing ({})", step.sink,
                            step.change->name, end->text()),
                fmt::format("try it by itself: tailgate {}",
                            fmt::join(duet_arguments(step, arguments, seed, "duet.json"), " ")));
  }
  const Duet duet = load_duet(file);
  return calibration_run(duet, judge(duet, policy, today_utc()), step.sink, step.change->name,
                         spent.count());
}

// The records in the order in which they are given. Runs are added to the last one, so that one
// alone may not exist yet.
std::vector<Calibration> load_records(const SelftestArguments& arguments) {
  std::vector<Calibration> records;
  for (const std::string& file : arguments.records) {
    const bool is_new =
        !arguments.show && &file == &arguments.records.back() && !std::filesystem::exists(file);
    records.push_back(is_new ? Calibration{} : load_calibration(file));
  }
  return records;
}

std::vector<std::string> changes_that_must_fail() {
  std::vector<std::string> names;
  for (const PlantedChange& change : planted_changes()) {
    if (change.must_detect == MustDetect::yes) names.emplace_back(change.name);
  }
  return names;
}

// The tables, and the file of the same figures. Shows a status line meanwhile: some thousand
// relabelled gates take seconds.
void report(const Calibration& calibration, const Policy& policy,
            const SelftestArguments& arguments) {
  CalibrationReport report{calibration, summarize(calibration, policy), {}, {}};
  report.scores = scores_of(report.rows, changes_that_must_fail());
  StatusLine status;
  status.show(fmt::format("relabelling the rounds of {} runs", calibration.runs.size()));
  report.relabelled = relabelled(calibration, policy, arguments.relabel, 1);
  status.clear();
  if (!arguments.json.empty()) write_file_atomically(arguments.json, render(report, "json"));
  std::cout << render(report, "text");
}

int selftest_gate(const SelftestArguments& arguments) {
  // Uncommitted changes are the same on both sides here.
  const Policy policy = policy_at(arguments.policy, true);
  Calibration growing;
  Calibration all = as_usage([&] {
    std::vector<Calibration> records = load_records(arguments);
    Calibration runs = joined(records);
    growing = std::move(records.back());
    return runs;
  });
  const InterruptFlag interrupt;
  const auto begin = std::chrono::steady_clock::now();
  const auto left_s = [&] {
    const Seconds spent = std::chrono::steady_clock::now() - begin;
    return arguments.minutes * 60 - spent.count();
  };
  if (!arguments.show) {
    const Scratch scratch(arguments.scratch, false);
    StatusLine status;
    while (left_s() > 0 && !InterruptFlag::raised()) {
      const std::optional<Step> step = next_step(all, arguments);
      if (!step) break;
      status.show(fmt::format("{} with {}, run {}; {} left", step->sink, step->change->name,
                              all.runs.size() + 1, human_wait(left_s())));
      auto run = measure(*step, arguments, policy, all.runs.size() + 1, scratch.path());
      if (!run) break;
      tell("{} with {}: {} after {} rounds, {:.0f} s\n", run->sink, run->planted, run->outcome,
           run->rounds_used, run->duration_s);
      all.runs.push_back(*run);
      growing.runs.push_back(std::move(*run));
      save_calibration(arguments.records.back(), growing);
    }
  }
  report(all, policy, arguments);
  return InterruptFlag::raised() ? kExitInterrupted : kExitDone;
}

void add_options(Command& command, SelftestArguments& arguments) {
  for (const PlantedChange& change : planted_changes()) arguments.changes.emplace_back(change.name);
  command.add_option("--sink", arguments.sinks, "A sink to test; repeatable")
      ->one_value_each_time()
      ->type_name("SINK");
  command.add_option("--change", arguments.changes, "Only this change; repeatable")
      ->one_value_each_time()
      ->one_of(arguments.changes)
      ->type_name("NAME");
  command.add_option("--scenario", arguments.scenario, "Scenario or preset of one load")
      ->type_name("SCENARIO")
      ->capture_default_str();
  command.add_option("--set", arguments.settings, "Scenario option, name=value; repeatable")
      ->one_value_each_time();
  command.add_option("--record", arguments.records, "File that runs are added to; repeatable")
      ->one_value_each_time()
      ->type_name("FILE")
      ->capture_default_str();
  command.add_option("--policy", arguments.policy, "Policy file; default: the built-in policy")
      ->type_name("FILE");
  command.add_option("--same", arguments.same, "Wanted runs of each sink with nothing planted")
      ->capture_default_str();
  command.add_option("--planted", arguments.planted, "Wanted runs of each sink and change")
      ->capture_default_str();
  command.add_option("--minutes", arguments.minutes, "Start no more runs after this time")
      ->capture_default_str();
  command.add_option("--relabel", arguments.relabel, "Relabelled gates to decide; 0: none")
      ->capture_default_str();
  command.add_option("--json", arguments.json, "Write the tables' figures to this file, too")
      ->type_name("FILE");
  command.add_option("--scratch", arguments.scratch, "Folder for the sinks' files")
      ->type_name("DIR");
  command.add_flag("--show", arguments.show, "Measure nothing, show the record's tables");
}

}  // namespace

void commands::add_selftest_command(Command& program, const Catalog&, Action& action) {
  Command* command = program.add_subcommand("selftest", "Test tailgate where the answer is known");
  command->require_subcommand();
  command->footer("Examples:\n  tailgate selftest gate --sink file --set rate_hz=20000");
  Command* gate = command->add_subcommand("gate", "How often the gate is wrong on this machine");
  const auto arguments = std::make_shared<SelftestArguments>();
  add_options(*gate, *arguments);
  gate->footer(planted_changes_help() +
               "\n"
               "Every run is a duet of its own and is added to the record at once. Of several\n"
               "records, runs are added to the last one; those of the others count too.\n"
               "\n"
               "Examples:\n"
               "  tailgate selftest gate --sink file --sink lttng --set rate_hz=20000\n"
               "  tailgate selftest gate --sink file --change none --same 100\n"
               "  tailgate selftest gate --sink file --record monday.json --record tuesday.json\n"
               "  tailgate selftest gate --show --policy ci/policy.toml");
  gate->callback(
      [arguments, &action] { action = [arguments] { return selftest_gate(*arguments); }; });
}

}  // namespace tailgate
