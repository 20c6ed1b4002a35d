#include "harness/cli/duet_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "harness/cli/commands.h"
#include "harness/cli/duet_extent.h"
#include "harness/cli/explain_sides.h"
#include "harness/cli/gate_samples.h"
#include "harness/cli/gate_verdicts.h"
#include "harness/cli/growing_file.h"
#include "harness/cli/surroundings.h"
#include "harness/cli/terminal.h"
#include "harness/exec/choose_means.h"
#include "harness/gate/command_gate.h"
#include "harness/gate/gate.h"
#include "harness/os/affinity.h"
#include "harness/os/process.h"
#include "harness/report/difference_text.h"
#include "harness/report/exporter.h"
#include "harness/report/metrics_text.h"
#include "harness/report/painter.h"
#include "harness/result/files.h"
#include "harness/result/json.h"
#include "harness/run/duet/command_difference.h"
#include "harness/run/duet/line_program.h"
#include "harness/samples/format.h"
#include "harness/trial/scratch.h"

namespace tailgate {
namespace {

// policy: of the gate, or null. earlier: what is resumed, or null.
CommandDuetRequest request_of(const CommandDuetArguments& arguments, const Policy* policy,
                              const CommandDuet* earlier) {
  CommandDuetRequest request;
  request.earlier = earlier;
  request.a = arguments.a;
  request.b = arguments.b;
  if (request.b.command.empty()) request.b.command = request.a.command;
  if (request.a.label.empty()) request.a.label = request.a.command;
  if (request.b.label.empty()) request.b.label = request.b.command;
  if (!arguments.options.from.empty()) {
    request.reads = &find_sample_format(arguments.options.from);
  }
  if (!arguments.options.calls.empty()) {
    request.calls = choose_means(parse_call_list(arguments.options.calls),
                                 {program_of_line(request.a.command, arguments.directory_a),
                                  program_of_line(request.b.command, arguments.directory_b)});
    if (request.calls->means == CallMeans::none) {
      throw Error("--calls none times nothing that could be compared", "leave out --calls");
    }
  }
  request.rounds = rounds_to_plan(arguments.rounds, policy, earlier);
  request.seed = arguments.seed;
  request.timeout_s = arguments.options.timeout_s;
  request.directory_a = arguments.directory_a;
  request.directory_b = arguments.directory_b;
  request.layouts_a = arguments.layouts_a;
  request.layouts_b = arguments.layouts_b;
  request.logs = std::filesystem::path(arguments.out).replace_extension();
  return request;
}

Environment environment_of(const CommandDuetArguments& arguments, const Scratch& scratch) {
  Environment environment;
  const MachineInfo machine = collect_machine_info();
  environment.placement = arguments.placement;
  environment.machine = machine_used(machine);
  environment.label = machine.restriction;
  environment.build = build_used();
  environment.scratch = scratch.path();
  environment.trial.clock = measure_clock();
  if (!arguments.options.calls.empty()) sweep_uprobes();
  return environment;
}

void tell_failures(const CommandRound& round) {
  for (const auto& [side, run] : {std::pair("A", &round.a), std::pair("B", &round.b)}) {
    if (run->outcome == TrialOutcome::completed) continue;
    tell("round {}: side {}: {}: {}\n", round.index, side, enum_text(run->outcome),
         run->outcome_detail);
  }
}

std::string figures_text(const CommandDuet& duet) {
  const Painter painter(colour_wanted(stdout));
  std::vector<MetricJudgement> judgements = describe_figures(duet);
  for (MetricJudgement& judgement : judgements) make_printable(judgement.name);
  return fmt::format("{} to {}, {} rounds\n", printable(duet.a.label), printable(duet.b.label),
                     duet.rounds.size()) +
         metrics_table(judgements, painter);
}

// Adds why the sides differ, where that is wanted.
void explain_difference(const CommandDuetArguments& arguments, const CommandGateSettings& settings,
                        const std::optional<Policy>& policy, const CommandDuetRequest& request,
                        const Environment& environment, CommandDuet& duet) {
  if (!duet.complete) return;  // a command failed, or the user interrupted
  const double max_s =
      explain_time_s(arguments.explain, arguments.explain_s, policy ? &*policy : nullptr,
                     [&] { return judge(duet, settings, *policy); });
  if (max_s <= 0) return;
  const auto measure = [&](const ExplainProgress& progress) {
    return measure_command_difference({.request = request,
                                       .environment = environment,
                                       .duet = duet,
                                       .max_s = max_s,
                                       .progress = progress});
  };
  if (auto difference = explain_sides(arguments.quiet, measure, duet.remarks)) {
    duet.difference = std::move(difference);
  }
}

int show_verdict(Verdict verdict, const std::filesystem::path& file) {
  verdict.duet = file.string();
  std::cout << render(Verdicts{{verdict}}, "text", {.colour = colour_wanted(stdout)});
  say("\nwrote: {}\n", file.string());
  return verdict_exit_code(verdict.outcome);
}

}  // namespace

void add_command_options(Command& command, CommandDuetOptions& options) {
  CommandOption* wanted = command.add_flag("--command", options.wanted,
                                           "A and B are command lines, run in alternation");
  CommandOption* from =
      command.add_option("--from", options.from, "with --command: of what they print")
          ->needs(wanted)
          ->type_name("FORMAT");
  command.add_option("--calls", options.calls, "with --command: calls to time, as of exec")
      ->needs(wanted)
      ->excludes(from)
      ->type_name("CALLS");
  command.add_option("--timeout-s", options.timeout_s, "with --command: of each run")
      ->needs(wanted)
      ->range(0.1, 86'400.0)
      ->capture_default_str();
  command.add_option("--margin", options.margin, "with --command: what --gate tolerates [5%]")
      ->needs(wanted);
  command.add_option("--metric", options.metrics, "with --command: --gate judges this one only")
      ->needs(wanted)
      ->one_value_each_time();
}

int duet_of_commands(const CommandDuetArguments& arguments) {
  GrowingFile file(arguments.out, arguments.force || arguments.resume);
  std::optional<Policy> policy;
  if (arguments.gate) {
    policy =
        shared_by(policy_at(arguments.policy, false, arguments.nightly), arguments.judged_together);
    policy->history = arguments.history;
  }
  std::optional<CommandDuet> earlier;
  if (arguments.resume) earlier = as_usage([&] { return load_command_duet(arguments.out); });
  const CommandGateSettings settings{parse_margin(arguments.options.margin),
                                     arguments.options.metrics};
  const CommandDuetRequest request = as_usage([&] {
    return request_of(arguments, policy ? &*policy : nullptr, earlier ? &*earlier : nullptr);
  });
  if (policy && earlier && !can_go_on(*earlier, settings, *policy)) {
    return show_verdict(judge(*earlier, settings, *policy), file.written_to());
  }
  const Scratch scratch(arguments.scratch, arguments.keep);
  prepare_output_folder(std::filesystem::absolute(arguments.out).parent_path(), scratch.path());
  const Environment environment = environment_of(arguments, scratch);
  bind_this_thread(environment.placement.controller_cpus);
  const InterruptFlag interrupt;
  StatusLine status;
  const DuetTime time(arguments.time_budget_s, earlier ? earlier->rounds.size() : 0);
  const CommandDuetObserver observer{
      .round_ended =
          [&](const CommandDuet& duet) {
            file.save(write_command_duet(duet));
            status.clear();
            tell_failures(duet.rounds.back());
            if (!arguments.quiet) {
              status.show(fmt::format("round {} of {}", duet.rounds.size(), duet.planned_rounds));
            }
          },
      .enough =
          [&](const CommandDuet& duet) {
            return time.is_up(duet.rounds.size()) ||
                   (policy && is_decided(duet, settings, *policy));
          }};
  CommandDuet duet = run_command_duet(request, environment, observer);
  status.clear();
  // An interrupt of what follows ends that alone.
  const bool interrupted = InterruptFlag::raised();
  explain_difference(arguments, settings, policy, request, environment, duet);
  file.save(write_command_duet(duet));
  if (policy && !interrupted) {
    return show_verdict(judge(duet, settings, *policy), file.written_to());
  }
  std::cout << figures_text(duet);
  if (duet.difference) std::cout << "\n" << difference_text(*duet.difference);
  for (const Remark& remark : duet.remarks) say("! {}\n", remark.what);
  say("\nwrote: {}\n", file.written_to().string());
  if (interrupted) return kExitInterrupted;
  const bool well = duet.complete && file.in_place() &&
                    std::all_of(duet.rounds.begin(), duet.rounds.end(),
                                [](const CommandRound& round) { return round.is_completed(); });
  return well ? kExitDone : kExitFailed;
}

}  // namespace tailgate
