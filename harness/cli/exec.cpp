// tailgate exec: measures a program that logs by itself, and writes a result as `run` does.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>

#include "harness/cli/commands.h"
#include "harness/cli/growing_file.h"
#include "harness/cli/surroundings.h"
#include "harness/cli/terminal.h"
#include "harness/exec/choose_means.h"
#include "harness/exec/exec_run.h"
#include "harness/exec/find_processes.h"
#include "harness/exec/program_process.h"
#include "harness/explain/start_trace.h"
#include "harness/os/affinity.h"
#include "harness/os/process.h"
#include "harness/report/exporter.h"
#include "harness/result/files.h"
#include "harness/result/json.h"
#include "harness/trial/scratch.h"

namespace tailgate {
namespace {

struct ExecArguments {
  std::vector<std::string> command;
  std::string calls = "mark";
  std::string name;
  std::string counts;
  std::vector<std::string> daemons;
  unsigned trials = ExecRequest{}.trials;
  double timeout_s = ProgramPlan{}.timeout_s;
  std::string out = ".";
  PlacementArguments placement;
  std::string scratch;
  RecordingArguments recording;
  bool explain = false;
  bool force = false;
  bool keep = false;
  bool json = false;
  bool quiet = false;
};

ExecRequest request_of(const ExecArguments& arguments) {
  ExecRequest request;
  request.plan.command = arguments.command;
  request.plan.counts = arguments.counts;
  request.plan.timeout_s = arguments.timeout_s;
  for (const std::string& daemon : arguments.daemons) {
    for (const FoundProcess& found : find_processes(daemon)) {
      request.plan.daemons.push_back({Role::daemons, found.name, found.pid});
    }
  }
  request.trials = arguments.trials;
  request.traced = arguments.explain;
  const std::filesystem::path program = arguments.command.front();
  request.name = arguments.name.empty() ? program.filename().string() : arguments.name;
  const std::string file = result_file_name(kExecScenario, request.name, "", {});
  request.logs = (std::filesystem::path(arguments.out) / file).replace_extension();
  request.plan.calls =
      choose_means(parse_call_list(arguments.calls), {program_path(arguments.command.front())});
  if (!request.traced) return request;
  const Probe probe = activity::probe_trace();
  if (!probe.available)
    throw Error("slow calls cannot be explained: " + probe.reason, probe.remedy);
  return request;
}

Environment environment_of(const ExecArguments& arguments, const Placement& placement) {
  Environment environment;
  environment.placement = placement;
  environment.trial.clock = measure_clock();
  environment.trial.load_cpus = placement.load_cpus;
  arguments.recording.apply(environment.trial);
  const MachineInfo machine = collect_machine_info();
  environment.machine = machine_used(machine);
  environment.label = machine.restriction;
  environment.build = build_used();
  return environment;
}

bool exec_went_well(const Result& result) {
  return result.complete &&
         std::all_of(result.trials.begin(), result.trials.end(), [](const Trial& trial) {
           return trial.outcome == TrialOutcome::completed && trial.ledger.unaccounted == 0;
         });
}

void print_result(Result result, const std::filesystem::path& file, bool json) {
  if (json) {
    std::cout << json_text(write_result(result));
    return;
  }
  Results named;
  named.push_back({file.string(), std::move(result)});
  std::cout << render(named, "details", {.colour = colour_wanted(stdout)});
  say("\nwrote: {}\n", file.string());
}

void tell_failure(const Trial& trial) {
  if (trial.outcome == TrialOutcome::completed) return;
  tell("trial {}: {}: {}\n  what the program printed: {}\n", trial.index, enum_text(trial.outcome),
       trial.outcome_detail, trial.program->log);
}

int exec(const ExecArguments& arguments) {
  const ExecRequest request = as_usage([&] { return request_of(arguments); });
  const Placement placement = as_usage([&] { return choose_placement(arguments.placement); });
  std::filesystem::path name = request.logs;
  name += ".json";
  GrowingFile file(name, arguments.force);
  Environment environment = environment_of(arguments, placement);
  const Scratch scratch(arguments.scratch, arguments.keep);
  environment.scratch = scratch.path();
  sweep_uprobes();
  prepare_output_folder(arguments.out, scratch.path());
  bind_this_thread(placement.controller_cpus);
  const InterruptFlag interrupt;
  StatusLine status;
  const auto show = [&](const Result& result, double elapsed_s) {
    if (arguments.quiet) return;
    status.show(fmt::format("{} trial {} of {}: {:.0f} s", request.name, result.trials.size(),
                            request.trials, elapsed_s));
  };
  Result result =
      run_exec(request, environment,
               {.progress = show,
                .trial_ended =
                    [&](const Result& grown) {
                      file.save(write_result(grown));
                      status.clear();
                      tell_failure(grown.trials.back());
                    },
                .changed = [&](const Result& grown) { file.save(write_result(grown)); },
                .full = [&](const Result&) { return file.bytes() > kMaxWrittenBytes; }});
  status.clear();
  file.save(write_result(result));
  const bool well = exec_went_well(result) && file.in_place();
  print_result(std::move(result), file.written_to(), arguments.json);
  if (arguments.keep) tell("kept: {}\n", scratch.path().string());
  if (InterruptFlag::raised()) return kExitInterrupted;
  return well ? kExitDone : kExitFailed;
}

void add_options(Command& command, ExecArguments& arguments) {
  command.add_option("PROGRAM", arguments.command, "behind --: the program and its arguments")
      ->required()
      ->type_name("ARG");
  command.add_option("--calls", arguments.calls, "mark, none, or functions: write,libfoo.so:f")
      ->type_name("CALLS")
      ->capture_default_str();
  command.add_option("--name", arguments.name, "what to call it; else its file's name");
  command.add_option("--counts", arguments.counts, "each new line of it is an event that arrived")
      ->type_name("FILE");
  command.add_option("--daemon", arguments.daemons, "measure this process, too, by name or number")
      ->one_value_each_time();
  command.add_option("--trials", arguments.trials, "fresh processes")
      ->range(1u, 10'000u)
      ->capture_default_str();
  command.add_option("--timeout-s", arguments.timeout_s, "of each of them")
      ->range(0.1, 86'400.0)
      ->capture_default_str();
  command.add_option("--out", arguments.out, "folder for the result and the programs' logs")
      ->type_name("DIR")
      ->capture_default_str();
  command.add_flag("--force", arguments.force, "replace a result that is there already");
  command.add_option("--load-cpus", arguments.placement.load_cpus,
                     "of the program: auto, any, or as 1,2-3");
  command.add_option("--controller-cpus", arguments.placement.controller_cpus,
                     "processors of the controller, likewise");
  add_recording_options(command, arguments.recording);
  command.add_option("--scratch", arguments.scratch, "folder for temporary files")
      ->type_name("DIR");
  command.add_flag("--explain", arguments.explain, "also explain slow calls, by traced trials");
  command.add_flag("--keep", arguments.keep, "keep the temporary files");
  command.add_flag("--json", arguments.json, "print the result as JSON instead of a table");
  command.add_flag("--quiet", arguments.quiet, "no progress");
}

}  // namespace

void commands::add_exec_command(Command& program, const Catalog&, Action& action) {
  Command* command = program.add_subcommand("exec", "Measure a program that logs by itself");
  auto arguments = std::make_shared<ExecArguments>();
  add_options(*command, *arguments);
  command->footer(
      "Times calls of the program, by the first means that applies:\n"
      "  mark      it marks them itself, with tailgate/mark.h\n"
      "  preload   functions that tailgate knows: write, writev, fsync, fwrite, send,\n"
      "            sendmsg, syslog, sd_journal_sendv and their kin\n"
      "  audit     other functions, LIBRARY:NAME or NAME, that a program calls by the\n"
      "            dynamic linker, bound lazily\n"
      "  uprobe    all others that a symbol table names, as static ones, and those of\n"
      "            programs that are linked statically or with -z now; by the kernel,\n"
      "            for root, at 1 to 15 us a call\n"
      "Which means was used, and what it adds to a call, is in the result. Without\n"
      "calls (none) there are overhead and counts alone. All that the program starts\n"
      "ends with it. Overhead is the program's own: there is no control trial.\n"
      "\n"
      "Examples:\n"
      "  tailgate exec -- ./server --requests 10000\n"
      "  tailgate exec --calls write,fsync --out out/db -- ./db --bench\n"
      "  tailgate exec --calls libmylog.so:log_write --counts app.log -- ./app\n"
      "  tailgate exec --calls syslog --daemon rsyslogd --trials 10 -- ./app");
  command->callback([&action, arguments] { action = [arguments] { return exec(*arguments); }; });
}

}  // namespace tailgate
