#include "harness/cli/duet.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>

#include "harness/cli/commands.h"
#include "harness/cli/duet_extent.h"
#include "harness/cli/duet_resume.h"
#include "harness/cli/duet_subject.h"
#include "harness/cli/explain_sides.h"
#include "harness/cli/gate_verdicts.h"
#include "harness/cli/growing_file.h"
#include "harness/cli/known_names.h"
#include "harness/cli/surroundings.h"
#include "harness/cli/terminal.h"
#include "harness/gate/gate.h"
#include "harness/os/affinity.h"
#include "harness/os/process.h"
#include "harness/report/exporter.h"
#include "harness/report/human.h"
#include "harness/result/files.h"
#include "harness/result/json.h"
#include "harness/result/latency.h"
#include "harness/run/duet/duet.h"
#include "harness/run/duet/duet_difference.h"
#include "harness/run/duet/program.h"
#include "harness/trial/scratch.h"

namespace tailgate {
namespace {

constexpr HistogramRange kRange = {
    .lowest_discernible = 1, .highest_trackable = 3'600'000'000'000, .significant_digits = 3};

// What an earlier run measured, to be measured again.
NamedSubject subject_of_result(const Catalog& catalog, const std::string& file) {
  const Result result = load_result(file);
  const Scenario& scenario = catalog.scenarios.find(result.scenario.name);
  Options options(scenario.options(), fmt::format("scenario '{}'", scenario.name()));
  for (const Setting& setting : result.scenario.options) options.set(setting.name, setting.value);
  return {result.sink.label, &scenario, options, result.scenario.preset};
}

bool names_result(const std::string& text) {
  return text.ends_with(".json");
}

NamedSubject subject_of(const Catalog& catalog, const std::string& text,
                        const DuetArguments& arguments) {
  const bool load_given = !arguments.scenario.empty();
  NamedSubject subject = names_result(text)
                             ? subject_of_result(catalog, text)
                             : subject_of_scenario(catalog, arguments.scenario, text);
  if (names_result(text) && load_given) {
    subject = subject_of_scenario(catalog, arguments.scenario, subject.sink);
  }
  for (const Setting& setting : parse_settings(arguments.settings)) {
    subject.options.set(setting.name, setting.value);
  }
  return subject;
}

LoadPlan load_of(const NamedSubject& subject) {
  if (subject.scenario->max_steps(subject.options) > 1) {
    throw Error(fmt::format("scenario '{}' has several steps", subject.scenario->name()),
                "a duet runs one load: use --scenario steady, burst or max");
  }
  return *subject.scenario->next_step(subject.options, {});
}

DuetSubjectRequest subject_request(const SinkCatalog& sinks, const SideArguments& side,
                                   const NamedSubject& subject,
                                   const std::filesystem::path& scratch) {
  DuetSubjectRequest request{.side = {.sink = sinks.choice(subject.sink), .load = load_of(subject)},
                             .label = side.label,
                             .scenario = scenario_used(subject),
                             .build = build_used(),
                             .layouts = side.layouts};
  if (!side.program.empty()) {
    request.build = ask_program(side.program, scratch);
    request.side.program = std::filesystem::canonical(side.program);
  }
  return request;
}

// A result names its scenario for both sides; two must agree.
std::pair<NamedSubject, NamedSubject> subjects_of(const Catalog& catalog,
                                                  const DuetArguments& arguments) {
  const std::string& b_text =
      arguments.b.subject.empty() ? arguments.a.subject : arguments.b.subject;
  const bool a_file = names_result(arguments.a.subject);
  const bool b_file = names_result(b_text);
  NamedSubject a = subject_of(catalog, arguments.a.subject, arguments);
  NamedSubject b = subject_of(catalog, b_text, arguments);
  if (a_file && !b_file) b = {b.sink, a.scenario, a.options, a.preset};
  if (b_file && !a_file) a = {a.sink, b.scenario, b.options, b.preset};
  if (!(load_of(a) == load_of(b))) {
    throw Error("the two results were not taken under the same load",
                "name the load for both with --scenario and --set");
  }
  return {std::move(a), std::move(b)};
}

// Both sides' load on the same processors: one for each load thread of a side, as far as there are
// as many. Those are the last of the processors that the load may have, or where it may have fewer
// than threads and the user names none, of all.
Placement duet_placement(const PlacementArguments& arguments, std::size_t threads) {
  Placement placement = choose_placement(arguments);
  std::vector<int>& cpus = placement.load_cpus;
  const bool free = cpus.empty() || (arguments.load_cpus == "auto" && cpus.size() < threads);
  if (free) cpus = initial_cpus();
  if (cpus.size() > threads)
    cpus.erase(cpus.begin(), cpus.end() - static_cast<std::ptrdiff_t>(threads));
  return placement;
}

// All processors but the load's; none, which stands for all, where there is no other.
std::vector<int> beside_the_load(const Placement& placement) {
  std::vector<int> cpus = initial_cpus();
  for (const int cpu : placement.load_cpus) std::erase(cpus, cpu);
  return cpus;
}

Environment environment_of(const DuetArguments& arguments, std::size_t threads) {
  Environment environment;
  environment.placement = duet_placement(arguments.placement, threads);
  environment.trial.range = kRange;
  environment.trial.load_cpus = environment.placement.load_cpus;
  environment.trial.consumer_cpus = environment.placement.consumer_cpus;
  environment.trial.sink_cpus = beside_the_load(environment.placement);
  environment.trial.consumer = parse_consumer(arguments.consume);
  environment.trial.slowest = 0;
  environment.trial.noise_s = 0;
  environment.trial.hang_timeout_s = arguments.hang_timeout_s;
  environment.trial.keep_files = arguments.keep;
  return environment;
}

// Writes the file as it grows, and shows how far the duet is.
class DuetReporter : public DuetObserver {
 public:
  // policy: of the gate that decides when there are enough rounds; without one, all are run that
  // there is time for.
  DuetReporter(GrowingFile& file, bool quiet, const DuetTime& time, std::optional<Policy> policy)
      : file_(file), quiet_(quiet), time_(time), policy_(std::move(policy)) {}

  void progress(const Duet& duet, const RoundProgress& round, double left_s) override {
    if (quiet_) return;
    const std::string left =
        left_s > 0 ? fmt::format(", about {} left", human_wait(left_s)) : std::string();
    status_.show(fmt::format("round {} of {}: {}{}", duet.rounds.size() + 1, duet.planned_rounds,
                             round.what, left));
  }

  void round_ended(const Duet& duet) override {
    file_.save(write_duet(duet));
    if (quiet_) return;
    status_.clear();
    const DuetRound& round = duet.rounds.back();
    for (const Remark& remark : round.remarks) {
      tell("round {}: {}\n", round.index, remark.what);
    }
    if (!status_.active()) {
      tell("round {} done: p50 A {}, B {}\n", round.index, human_duration(round.a.service.p50_ns),
           human_duration(round.b.service.p50_ns));
    }
  }

  bool full(const Duet&) override { return file_.bytes() > kMaxWrittenBytes; }

  bool enough(const Duet& duet) override {
    return time_.is_up(duet.rounds.size()) || (policy_ && is_decided(duet, *policy_, today_utc()));
  }

 private:
  GrowingFile& file_;
  bool quiet_;
  const DuetTime& time_;
  std::optional<Policy> policy_;
  StatusLine status_;
};

bool duet_went_well(const Duet& duet) {
  const auto well = [](const DuetSide& side) {
    return side.outcome == TrialOutcome::completed && side.ledger.unaccounted == 0;
  };
  return std::all_of(duet.rounds.begin(), duet.rounds.end(),
                     [&](const DuetRound& round) { return well(round.a) && well(round.b); });
}

// Adds why the sides differ, where that is wanted.
void explain_difference(const DuetArguments& arguments, const std::optional<Policy>& policy,
                        const DuetRequest& request, const Environment& environment, Duet& duet) {
  const double max_s = explain_time_s(arguments.explain || arguments.only_explain,
                                      arguments.explain_s, policy ? &*policy : nullptr,
                                      [&] { return judge(duet, *policy, today_utc()); });
  if (max_s <= 0) return;
  const auto measure = [&](const ExplainProgress& progress) {
    return measure_difference({.request = request,
                               .environment = environment,
                               .duet = duet,
                               .max_s = max_s,
                               .progress = progress});
  };
  if (auto difference = explain_sides(arguments.quiet, measure, duet.remarks)) {
    duet.difference = std::move(difference);
  }
}

// Shows the verdict on a duet and gives its exit code.
int show_verdict(const Duet& duet, const Policy& policy, const std::filesystem::path& file) {
  Verdict verdict = judge(duet, policy, today_utc());
  verdict.duet = file.string();
  std::cout << render(Verdicts{{verdict}}, "text", {.colour = colour_wanted(stdout)});
  say("\nwrote: {}\n", file.string());
  return verdict_exit_code(verdict.outcome);
}

// A generation of rounds ends where the gate looks.
std::vector<unsigned> looks_of(const Policy& policy, unsigned generation_rounds) {
  std::vector<unsigned> looks;
  for (const PlannedLook& look : policy.looks.from_round(generation_rounds).all()) {
    looks.push_back(static_cast<unsigned>(look.rounds));
  }
  return looks;
}

// Throws Error where the gate would never look.
void check_generation(unsigned generation_rounds, const Policy& policy) {
  const std::size_t last = policy.looks.rounds.back();
  if (generation_rounds <= last) return;
  throw Error(fmt::format("--generation-rounds {}: the gate's last look is after {} rounds",
                          generation_rounds, last),
              "use as many at most, or a policy with later looks");
}

// Of the gate; nothing without one.
std::optional<Policy> policy_of(const DuetArguments& arguments) {
  if (!arguments.gate) return {};
  Policy policy = shared_by(policy_at(arguments.policy, arguments.allow_dirty, arguments.nightly),
                            arguments.judged_together);
  policy.waived_commits = arguments.waived_commits;
  policy.history = arguments.history;
  return policy;
}

int duet_of_sinks(const Catalog& catalog, const DuetArguments& arguments) {
  const bool has_earlier = arguments.resume || arguments.only_explain;
  GrowingFile file(arguments.out, arguments.force || has_earlier);
  std::optional<Duet> earlier;
  if (has_earlier) earlier = as_usage([&] { return load_duet(arguments.out); });
  catalog.sinks.sweep_dead_sessions();
  const Scratch scratch(arguments.scratch, arguments.keep);
  Environment environment;
  const std::optional<Policy> policy = policy_of(arguments);
  if (arguments.resume && policy && !can_go_on(*earlier, *policy, today_utc())) {
    return show_verdict(*earlier, *policy, file.written_to());
  }
  const unsigned generation_rounds = arguments.generation_rounds.value_or(kGenerationRounds);
  const DuetRequest request = as_usage([&] {
    if (policy && arguments.generation_rounds) check_generation(generation_rounds, *policy);
    const auto [a, b] = subjects_of(catalog, arguments);
    environment = environment_of(arguments, load_of(a).threads);
    DuetRequest wanted{
        .a = subject_request(catalog.sinks, arguments.a, a, scratch.path()),
        .b = subject_request(catalog.sinks, arguments.b, b, scratch.path()),
        .wishes = {.turn_ms = arguments.turn_ms,
                   .turns = arguments.turns,
                   .warmup_turns = arguments.warmup_turns},
        .rounds = arguments.only_explain
                      ? static_cast<unsigned>(earlier->rounds.size())
                      : rounds_to_plan(arguments.rounds, policy ? &*policy : nullptr,
                                       earlier ? &*earlier : nullptr),
        .seed = arguments.seed,
        .long_rounds = arguments.long_rounds.value_or(kLongRounds),
        .generation_rounds = generation_rounds,
        .looks = policy ? looks_of(*policy, generation_rounds) : std::vector<unsigned>{},
        .earlier = earlier ? &*earlier : nullptr};
    check_duet(wanted, environment);
    return wanted;
  });
  environment.trial.clock = measure_clock();
  const MachineInfo machine = collect_machine_info();
  environment.machine = machine_used(machine);
  environment.label = machine.restriction;
  environment.build = build_used();
  environment.scratch = scratch.path();
  prepare_output_folder(std::filesystem::absolute(arguments.out).parent_path(), scratch.path());
  bind_this_thread(environment.placement.controller_cpus);
  const InterruptFlag interrupt;
  std::optional<double> budget_s = arguments.time_budget_s;
  if (policy && !budget_s) budget_s = policy->time_budget_s;
  const DuetTime time(budget_s, earlier ? earlier->rounds.size() : 0);
  DuetReporter reporter(file, arguments.quiet, time, policy);
  Duet result = arguments.only_explain ? *earlier : run_duet(request, environment, reporter);
  // An interrupt of what follows ends that alone.
  const bool interrupted = InterruptFlag::raised();
  explain_difference(arguments, policy, request, environment, result);
  file.save(write_duet(result));
  if (arguments.only_explain) return InterruptFlag::raised() ? kExitInterrupted : kExitDone;
  if (policy && !interrupted) {
    return show_verdict(result, *policy, file.written_to());
  }
  std::cout << render(result, "text",
                      {.colour = colour_wanted(stdout), .trials = arguments.rounds_shown});
  say("\nwrote: {}\n", file.written_to().string());
  if (arguments.keep) tell("kept: {}\n", scratch.path().string());
  if (interrupted) return kExitInterrupted;
  const bool well = result.complete && file.in_place() && duet_went_well(result);
  return well ? kExitDone : kExitFailed;
}

// Options that say how sinks are measured have no meaning for commands.
void check_command_options(const DuetArguments& arguments) {
  const bool others =
      !arguments.scenario.empty() || !arguments.settings.empty() || !arguments.a.program.empty() ||
      !arguments.b.program.empty() || arguments.long_rounds || arguments.generation_rounds ||
      arguments.turn_ms || arguments.turns || arguments.consume != "auto" ||
      arguments.hang_timeout_s != DuetArguments{}.hang_timeout_s ||
      arguments.warmup_turns != DuetArguments{}.warmup_turns || !arguments.waived_commits.empty() ||
      arguments.allow_dirty || arguments.rounds_shown;
  if (others) {
    throw UsageError(
        Error("--command runs programs, which have no sinks, scenarios or turns",
              "leave their options out, or --command; a run's time limit is --timeout-s"));
  }
}

// A command gets the processor of duets, or all of those that the user names for it.
Placement command_placement(const DuetArguments& arguments) {
  return arguments.placement.load_cpus == "auto" ? duet_placement(arguments.placement, 1)
                                                 : choose_placement(arguments.placement);
}

int duet_of(const DuetArguments& arguments) {
  check_command_options(arguments);
  return duet_of_commands({.options = arguments.command,
                           .a = {arguments.a.label, arguments.a.subject, {}},
                           .b = {arguments.b.label, arguments.b.subject, {}},
                           .rounds = arguments.rounds,
                           .seed = arguments.seed,
                           .placement = as_usage([&] { return command_placement(arguments); }),
                           .out = arguments.out,
                           .resume = arguments.resume,
                           .force = arguments.force,
                           .quiet = arguments.quiet,
                           .scratch = arguments.scratch,
                           .keep = arguments.keep,
                           .gate = arguments.gate,
                           .policy = arguments.policy,
                           .explain = arguments.explain,
                           .explain_s = arguments.explain_s,
                           .nightly = arguments.nightly,
                           .history = arguments.history,
                           .time_budget_s = arguments.time_budget_s,
                           .directory_a = arguments.a.directory,
                           .directory_b = arguments.b.directory,
                           .layouts_a = arguments.a.layouts,
                           .layouts_b = arguments.b.layouts,
                           .judged_together = arguments.judged_together});
}

void add_side_options(Command& command, DuetArguments& arguments) {
  command.add_option("A", arguments.a.subject, "sink with options, or an earlier result")
      ->type_name("SINK|FILE");
  command.add_option("B", arguments.b.subject, "likewise; the same as A when left out")
      ->type_name("SINK|FILE");
  command.add_option("--program-a", arguments.a.program, "another build of tailgate plays side A")
      ->type_name("FILE");
  command.add_option("--program-b", arguments.b.program, "likewise side B")->type_name("FILE");
  command.add_option("--label-a", arguments.a.label, "what to call side A");
  command.add_option("--label-b", arguments.b.label, "what to call side B");
}

void add_round_options(Command& command, DuetArguments& arguments) {
  command.add_option("--scenario", arguments.scenario, "scenario or preset of one load: steady")
      ->type_name("SCENARIO");
  command.add_option("--set", arguments.settings, "scenario option, name=value; may be repeated")
      ->one_value_each_time();
  command
      .add_option("--rounds", arguments.rounds, "rounds in all, with processes of their own [20]")
      ->range(1u, 100'000u);
  command
      .add_option("--long-rounds", arguments.long_rounds,
                  fmt::format("of {} rounds so many live through the others [{}]",
                              kGenerationRounds, kLongRounds))
      ->range(0u, kGenerationRounds - 1);
  command
      .add_option("--generation-rounds", arguments.generation_rounds,
                  fmt::format("so many rounds run together [{}]", kGenerationRounds))
      ->range(2u, 1'000u);
  command.add_option("--seed", arguments.seed, "of all coins: who starts, who goes first")
      ->capture_default_str();
  // The second names are those of older versions, which scripts still use.
  command.add_option("--turn-ms,--slice-ms", arguments.turn_ms, "length of a turn")
      ->range(0.1, 60'000.0);
  command.add_option("--turns,--slices", arguments.turns, "turns a side in a round")
      ->range(1u, 10'000u);
  command
      .add_option("--warmup-turns,--warmup-slices", arguments.warmup_turns,
                  "turns a side before them")
      ->range(0u, 1'000u)
      ->capture_default_str();
}

void add_other_options(Command& command, DuetArguments& arguments) {
  command.add_option("-o,--out", arguments.out, "file to write, anew after each round")
      ->type_name("FILE")
      ->capture_default_str();
  command.add_flag("--force", arguments.force, "replace that file if it is there already");
  command.add_option("--resume", arguments.resumed_file, "add rounds to the duet in this file")
      ->type_name("FILE");
  command.add_option("--minutes", arguments.minutes, "end after this time")->range(0.01, 10'000.0);
  command.add_option("--consume", arguments.consume, "when to read the events back")
      ->one_of(consumer_choices())
      ->capture_default_str();
  command.add_option("--load-cpus", arguments.placement.load_cpus,
                     "of each side's load threads: the last of these");
  command.add_option("--controller-cpus", arguments.placement.controller_cpus,
                     "of the controller: auto, any, or as 1,2-3");
  command.add_option("--consumer-cpus", arguments.placement.consumer_cpus,
                     "of the consumers, likewise");
  command
      .add_option("--hang-timeout-s", arguments.hang_timeout_s,
                  "a call that takes longer counts as hung")
      ->range(0.1, 3600.0)
      ->capture_default_str();
  command.add_option("--scratch", arguments.scratch, "folder for the sinks' files; measured too")
      ->type_name("DIR");
  command.add_flag("--show-rounds", arguments.rounds_shown, "a line for each round in the table");
  command.add_flag("--keep", arguments.keep, "keep the sinks' files and the processes' output");
  command.add_flag("--quiet", arguments.quiet, "no progress");
  command.add_flag("--explain", arguments.explain,
                   "then say why the sides differ, by traced rounds");
  command
      .add_option("--explain-s", arguments.explain_s, "how long, also after a fail; 0: never [30]")
      ->range(0.0, 600.0);
  CommandOption* gate =
      command.add_flag("--gate", arguments.gate, "end when the gate can decide, with its verdict");
  command.add_option("--policy", arguments.policy, "of the gate; else the built-in one")
      ->needs(gate)
      ->type_name("FILE");
  command.add_option("--waive", arguments.waived_commits, kWaiveHelp)
      ->needs(gate)
      ->one_value_each_time()
      ->type_name("COMMIT");
  command
      .add_flag("--allow-dirty", arguments.allow_dirty, "judge builds of uncommitted changes too")
      ->needs(gate);
}

// What the options mean together.
void complete(DuetArguments& arguments) {
  as_usage([&] { check_duet_settings(parse_settings(arguments.settings)); });
  if (!arguments.resumed_file.empty()) take_from_duet(arguments.resumed_file, arguments);
  if (arguments.a.subject.empty()) {
    throw UsageError(Error("A is missing, the sink or the command to measure",
                           "name it, or a duet's file with --resume"));
  }
  constexpr double kSecondsPerMinute = 60;
  if (arguments.minutes) arguments.time_budget_s = *arguments.minutes * kSecondsPerMinute;
}

}  // namespace

int duet(const Catalog& catalog, const DuetArguments& arguments) {
  return arguments.command.wanted ? duet_of(arguments) : duet_of_sinks(catalog, arguments);
}

void commands::add_duet_command(Command& program, const Catalog& catalog, Action& action) {
  Command* command = program.add_subcommand("duet", "Measure two sides against each other");
  auto arguments = std::make_shared<DuetArguments>();
  add_side_options(*command, *arguments);
  add_command_options(*command, arguments->command);
  add_round_options(*command, *arguments);
  add_other_options(*command, *arguments);
  command->footer(
      "The processes of both sides run at once and take short turns on one processor,\n"
      "in an order that a coin decides; each round has processes of its own. So a\n"
      "machine that becomes slower affects both sides of a round. Some rounds live\n"
      "long, with others between their turns: harness/run/duet/README.md.\n"
      "A scenario's options that say how long a load lasts are refused: turns do.\n"
      "With --resume the duet in a file gets more rounds, on the same machine, of the\n"
      "same builds: with --gate until it is decided, or the policy has no more looks.\n"
      "With --command a run of each is a round; {out} in a command stands for a file\n"
      "that is read in place of its output.\n"
      "With --explain, and after a verdict of fail, traced rounds of both sides say\n"
      "which functions, system calls and waits make the difference; of commands,\n"
      "which functions' processor time does.\n"
      "With --gate the exit codes are the verdict's:\n" +
      brief_list(verdict_exit_codes()) +
      ".\n"
      "\n"
      "Examples:\n"
      "  tailgate duet synthetic:service_ns=2000 synthetic:service_ns=2500 \\\n"
      "      --set rate_hz=20000\n"
      "  tailgate duet file:mode=write file:mode=writev --rounds 15 --out files.json\n"
      "  tailgate duet spdlog --program-a old/tailgate --program-b new/tailgate \\\n"
      "      --set rate_hz=20000 --seed 7\n"
      "  tailgate duet file file:mode=writev --rounds 15 --explain\n"
      "  tailgate duet file file:mode=writev --gate --policy ci/policy.toml\n"
      "  tailgate duet --resume duet.json --gate --policy ci/policy.toml --minutes 5\n"
      "  tailgate duet --command './old' './new' --gate --margin 3%\n"
      "  tailgate duet --command --calls write './old' './new' --gate\n"
      "  tailgate duet --command --from gbench './old --benchmark_format=json' \\\n"
      "      './new --benchmark_format=json' --rounds 30");
  command->callback([&action, &catalog, arguments] {
    action = Action(
        [&catalog, arguments] {
          complete(*arguments);
          return duet(catalog, *arguments);
        },
        arguments->gate);
  });
}

}  // namespace tailgate
