// tailgate selftest: does the gate detect real changes on this machine, and raise no false alarm?
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include "harness/cli/commands.h"
#include "harness/cli/duet_subject.h"
#include "harness/cli/gate_verdicts.h"
#include "harness/cli/idle_watch.h"
#include "harness/cli/known_names.h"
#include "harness/cli/planted_changes.h"
#include "harness/cli/selftest_margins.h"
#include "harness/cli/selftest_plan.h"
#include "harness/cli/terminal.h"
#include "harness/gate/calibration.h"
#include "harness/gate/class_margins.h"
#include "harness/gate/gate.h"
#include "harness/os/atomic_file.h"
#include "harness/os/process.h"
#include "harness/report/exporter.h"
#include "harness/report/human.h"
#include "harness/result/files.h"
#include "harness/trial/scratch.h"

namespace tailgate {
namespace {

using Seconds = std::chrono::duration<double>;

// Of runs with nothing planted: none of so many failing bounds false alarms by 0.1 %.
constexpr unsigned kIdleSame = 3'700;

struct SelftestArguments {
  std::vector<std::string> sinks;
  std::vector<std::string> settings;
  std::vector<std::string> changes;
  std::string scenario = "steady";
  std::vector<std::string> records = {"calibration.json"};
  std::string policy;
  std::string scratch;
  std::filesystem::path json;
  std::filesystem::path margins;
  unsigned same = 0;  // 0: as the help says
  unsigned planted = 8;
  double minutes = 60;
  std::size_t relabel = 2000;
  bool show = false;
  bool idle = false;
  double most_busy = 0.2;
  double quiet_s = 20;
};

// The arguments of `tailgate duet` for a step. The seed follows from the number of runs before it.
std::vector<std::string> duet_arguments(const CalibrationStep& step,
                                        const SelftestArguments& arguments, std::size_t seed,
                                        const std::filesystem::path& file) {
  std::vector<std::string> words = {"duet",
                                    step.sink.sink + ":" + step.options_a,
                                    step.sink.sink + ":" + step.options_b,
                                    "--scenario",
                                    step.sink.scenario,
                                    "--seed",
                                    std::to_string(seed),
                                    "--gate",
                                    "--allow-dirty",
                                    "--explain-s",
                                    "0",
                                    "--quiet",
                                    "--out",
                                    file.string()};
  for (const std::string& setting : step.sink.settings) {
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
std::optional<CalibrationRun> measure(const CalibrationStep& step,
                                      const SelftestArguments& arguments, const Policy& policy,
                                      std::size_t seed, const std::filesystem::path& folder) {
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
    throw Error(fmt::format("the duet of '{}' with '{}' wrote nothing ({})", step.sink.sink,
                            step.change->name, end->text()),
                fmt::format("try it by itself: tailgate {}",
                            fmt::join(duet_arguments(step, arguments, seed, "duet.json"), " ")));
  }
  const Duet duet = load_duet(file);
  return calibration_run(duet, judge(duet, policy, today_utc()), step.sink.sink, step.change->name,
                         spent.count());
}

// The records in the order in which they are given. Runs are added to the last one, so that one
// alone may not exist yet.
std::vector<Calibration> load_records(const SelftestArguments& arguments) {
  std::vector<Calibration> records;
  for (const std::string& file : arguments.records) {
    const bool is_new = !arguments.show && arguments.margins.empty() &&
                        &file == &arguments.records.back() && !std::filesystem::exists(file);
    records.push_back(is_new ? Calibration{} : load_calibration(file));
  }
  return records;
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

// The user's sinks, all at one load; without any, those of the policy's runs that this machine has,
// each at the load of the first run that names it.
std::vector<CalibratedSink> sinks_of(const SelftestArguments& arguments, const Policy& policy,
                                     const Catalog& catalog) {
  std::vector<CalibratedSink> sinks;
  check_duet_settings(parse_settings(arguments.settings));
  for (const std::string& sink : arguments.sinks) {
    catalog.sinks.choice(sink);  // refuses what no duet could measure
    sinks.push_back({sink, arguments.scenario, arguments.settings});
  }
  if (!sinks.empty()) return sinks;
  for (const PolicyRun& run : policy.runs) {
    check_duet_settings(parse_settings(run.set));
    for (const std::string& sink : run.sinks) {
      const bool known = std::any_of(sinks.begin(), sinks.end(), [&](const CalibratedSink& other) {
        return other.sink == sink;
      });
      if (known) continue;
      const SinkChoice choice = catalog.sinks.choice(sink);
      const Probe probe = choice.type->probe(choice.options);
      if (probe.available) {
        sinks.push_back({sink, run.scenario, run.set});
      } else {
        tell("{} is left out: {}\n", sink, probe.reason);
      }
    }
  }
  return sinks;
}

// The load of the sink's runs with that change, as their records name it.
std::string load_of(const Catalog& catalog, const CalibratedSink& sink,
                    const PlantedChange& change) {
  NamedSubject measured = subject_of_scenario(catalog, sink.scenario, sink.sink);
  std::vector<std::string> settings = sink.settings;
  if (*change.setting != '\0') settings.emplace_back(change.setting);
  for (const Setting& setting : parse_settings(settings)) {
    measured.options.set(setting.name, setting.value);
  }
  DuetSubject subject;
  subject.scenario = scenario_used(measured);
  return load_text(subject);
}

std::vector<WantedRuns> wanted_runs(const SelftestArguments& arguments, const Policy& policy,
                                    const Catalog& catalog) {
  constexpr unsigned kSame = 40;
  const std::vector<CalibratedSink> sinks = sinks_of(arguments, policy, catalog);
  unsigned same = arguments.same;
  if (same == 0) {
    const auto count = static_cast<unsigned>(std::max<std::size_t>(sinks.size(), 1));
    same = arguments.idle ? (kIdleSame + count - 1) / count : kSame;
  }
  std::vector<WantedRuns> wanted;
  for (const CalibratedSink& sink : sinks) {
    for (const std::string& name : arguments.changes) {
      const PlantedChange& change = find_planted_change(name);
      wanted.push_back({sink, &change, load_of(catalog, sink, change),
                        name == kPlantedNothing ? same : arguments.planted});
    }
  }
  return wanted;
}

// Measures run after run and adds each to the record at once.
class CalibrationLoop {
 public:
  CalibrationLoop(const SelftestArguments& arguments, const Policy& policy, Calibration& all,
                  Calibration& growing)
      : arguments_(arguments), policy_(policy), all_(all), growing_(growing) {}

  void run(const std::vector<WantedRuns>& wanted) {
    IdleWatch watch(scratch_.path());
    while (!is_over()) {
      const std::optional<CalibrationStep> step = next_step(all_, wanted);
      if (!step || (arguments_.idle && !wait_for_idle(watch))) break;
      const RunsLeft left = runs_left(all_, wanted);
      status_.show(fmt::format(
          "{} with {}, run {} of {}; {} of the time left, about {} to the last", step->sink.sink,
          step->change->name, all_.runs.size() + 1, all_.runs.size() + left.runs,
          human_wait(left_s()), human_wait(left.seconds)));
      auto run = measure(*step, arguments_, policy_, all_.runs.size() + 1, scratch_.path());
      if (!run) break;
      tell("{} with {}: {} after {} rounds, {:.0f} s; {} to go, about {}\n", run->sink,
           run->planted, run->outcome, run->rounds_used, run->duration_s, left.runs - 1,
           human_wait(left.seconds));
      all_.runs.push_back(*run);
      growing_.runs.push_back(std::move(*run));
      save_calibration(arguments_.records.back(), growing_);
    }
  }

 private:
  double left_s() const {
    const Seconds spent = std::chrono::steady_clock::now() - begin_;
    return arguments_.minutes * 60 - spent.count();
  }

  bool is_over() const { return left_s() <= 0 || InterruptFlag::raised(); }

  bool wait_for_idle(IdleWatch& watch) {
    return watch.wait(
        IdleCriterion(arguments_.most_busy, arguments_.quiet_s), [this] { return is_over(); },
        [this](double busy) {
          status_.show(
              fmt::format("waiting for {:.0f} idle seconds: {:.2f} processors in use; {} "
                          "left",
                          arguments_.quiet_s, busy, human_wait(left_s())));
        });
  }

  const SelftestArguments& arguments_;
  const Policy& policy_;
  Calibration& all_;
  Calibration& growing_;
  Scratch scratch_{arguments_.scratch, false};
  StatusLine status_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// Throws UsageError for options of runs where none is made.
void check_options(const SelftestArguments& arguments) {
  const bool measures = !arguments.show && arguments.margins.empty();
  const bool of_runs = !arguments.sinks.empty() || !arguments.settings.empty() ||
                       arguments.scenario != SelftestArguments{}.scenario || arguments.idle ||
                       !arguments.scratch.empty();
  if (measures || !of_runs) return;
  throw UsageError(
      Error("nothing is measured with --show or --margins, so --sink, --scenario, "
            "--set, --idle and --scratch play no part",
            "leave them out"));
}

int selftest_gate(const SelftestArguments& arguments, const Catalog& catalog) {
  check_options(arguments);
  // Uncommitted changes are the same on both sides here.
  const Policy policy = policy_at(arguments.policy, true);
  Calibration growing;
  Calibration all = as_usage([&] {
    std::vector<Calibration> records = load_records(arguments);
    Calibration runs = joined(records);
    growing = std::move(records.back());
    return runs;
  });
  if (!arguments.margins.empty()) {
    write_margins(all, policy, arguments.relabel, arguments.margins);
    return kExitDone;
  }
  const InterruptFlag interrupt;
  if (!arguments.show) {
    CalibrationLoop(arguments, policy, all, growing).run(as_usage([&] {
      return wanted_runs(arguments, policy, catalog);
    }));
  }
  report(all, policy, arguments);
  return InterruptFlag::raised() ? kExitInterrupted : kExitDone;
}

void add_options(Command& command, SelftestArguments& arguments) {
  for (const PlantedChange& change : planted_changes()) arguments.changes.emplace_back(change.name);
  command.add_option("--sink", arguments.sinks, "A sink to test; repeatable [the policy's]")
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
  command.add_option("--same", arguments.same, "Runs with nothing planted [40; idle: 3700]");
  command.add_option("--planted", arguments.planted, "Wanted runs of each sink and change")
      ->capture_default_str();
  command.add_option("--minutes", arguments.minutes, "Start no more runs after this time")
      ->capture_default_str();
  command.add_option("--relabel", arguments.relabel, "Relabelled gates to decide; 0: none")
      ->capture_default_str();
  command.add_option("--json", arguments.json, "Write the tables' figures to this file, too")
      ->type_name("FILE");
  command
      .add_option("--margins", arguments.margins, "Write the margins of the record's machine class")
      ->type_name("FILE");
  command.add_option("--scratch", arguments.scratch, "Folder for the sinks' files")
      ->type_name("DIR");
  CommandOption* idle =
      command.add_flag("--idle", arguments.idle, "Start runs only while the machine is idle");
  command.add_option("--most-busy", arguments.most_busy, "Processors that may be in use then")
      ->range(0.0, 1000.0)
      ->needs(idle)
      ->capture_default_str();
  command.add_option("--quiet-s", arguments.quiet_s, "For so many seconds before each run")
      ->range(0.0, 86'400.0)
      ->needs(idle)
      ->capture_default_str();
  command.add_flag("--show", arguments.show, "Measure nothing, show the record's tables");
}

}  // namespace

void commands::add_selftest_command(Command& program, const Catalog& catalog, Action& action) {
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
               "  tailgate selftest gate --idle --policy ci/policy.toml --minutes 480\n"
               "  tailgate selftest gate --sink file --record monday.json --record tuesday.json\n"
               "  tailgate selftest gate --show --policy ci/policy.toml\n"
               "  tailgate selftest gate --margins results/calibration/margins/this.toml");
  gate->callback([arguments, &catalog, &action] {
    action = [arguments, &catalog] { return selftest_gate(*arguments, catalog); };
  });
}

}  // namespace tailgate
