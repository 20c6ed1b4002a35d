// tailgate doctor: is this machine fit to measure, and what to do about what is wrong with it.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "harness/base/error.h"
#include "harness/base/quoting.h"
#include "harness/cli/commands.h"
#include "harness/cli/surroundings.h"
#include "harness/cli/terminal.h"
#include "harness/doctor/cross_check.h"
#include "harness/doctor/judgement.h"
#include "harness/doctor/observe.h"
#include "harness/os/atomic_file.h"
#include "harness/os/process.h"
#include "harness/report/human.h"
#include "harness/trial/scratch.h"

namespace tailgate {
namespace {

struct DoctorArguments {
  double seconds = 2;
  PlacementArguments placement;
  std::string scratch;
  std::string json;
  unsigned cross_check_rounds = 0;  // 0: none
};

constexpr std::size_t kDoctorIndent = 26;
constexpr int kDoctorVersion = 1;

void print_finding(const Finding& finding) {
  std::vector<std::string> lines = wrapped(printable(finding.value), kColumns - kDoctorIndent, 2);
  say("{:<10}{:<16}{}\n", enum_text(finding.mark), finding.name, lines.front());
  lines.erase(lines.begin());
  if (!finding.remedy.empty()) {
    const std::string remedy = "to do: " + printable(finding.remedy);
    for (std::string& line : wrapped(remedy, kColumns - kDoctorIndent, 2)) {
      lines.push_back(std::move(line));
    }
  }
  for (const std::string& line : lines) say("{:{}}{}\n", "", kDoctorIndent, line);
}

std::ptrdiff_t number_of(const std::vector<Finding>& findings, Mark mark) {
  return std::count_if(findings.begin(), findings.end(),
                       [&](const Finding& finding) { return finding.mark == mark; });
}

// "1 warning", "2 warnings".
std::string counted(std::ptrdiff_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

void print_findings(const std::vector<Finding>& findings) {
  for (const Finding& finding : findings) print_finding(finding);
  say("\nFit to measure: {} ({}, {}, {} not known)\n", enum_text(fitness_of(findings)),
      counted(number_of(findings, Mark::problem), "problem"),
      counted(number_of(findings, Mark::warning), "warning"), number_of(findings, Mark::unknown));
}

nlohmann::ordered_json to_json(const std::vector<Finding>& findings, const MachineFacts& facts) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Finding& finding : findings) {
    nlohmann::ordered_json figures = nlohmann::ordered_json::object();
    for (const auto& [name, value] : finding.figures) figures[name] = value;
    list.push_back({{"name", finding.name},
                    {"mark", enum_text(finding.mark)},
                    {"value", finding.value},
                    {"remedy", finding.remedy},
                    {"figures", std::move(figures)}});
  }
  return {{"format", "tailgate-doctor"},
          {"version", kDoctorVersion},
          {"fit", enum_text(fitness_of(findings))},
          {"fingerprint", facts.machine.fingerprint},
          {"watched_s", static_cast<double>(facts.watched_ns) / 1e9},
          {"findings", std::move(list)}};
}

std::vector<Finding> cross_check(const DoctorPlan& plan, unsigned rounds, const Clock& clock) {
  try {
    const InterruptFlag interrupt;
    const Scratch scratch(plan.scratch, false);
    const std::vector<int>& load = plan.placement.load_cpus;
    return judge_cross_checks(run_cross_checks(
        {.cpu = load.empty() ? -1 : load.front(), .rounds = rounds, .scratch = scratch.path()},
        clock));
  } catch (const Error& error) {
    return {{.name = "cross-check",
             .mark = Mark::unknown,
             .value = "not known: " + error.what_failed(),
             .remedy = error.remedy()}};
  }
}

int doctor(const DoctorArguments& arguments, const SinkCatalog& sinks) {
  DoctorPlan plan;
  plan.watch_s = arguments.seconds;
  plan.placement = as_usage([&] { return choose_placement(arguments.placement); });
  plan.scratch = arguments.scratch.empty() ? default_scratch_parent()
                                           : std::filesystem::path(arguments.scratch);
  StatusLine status;
  status.show(fmt::format("watching this machine for {:g} s", plan.watch_s));
  const MachineFacts facts = observe_machine(plan, sinks);
  std::vector<Finding> findings = judge(facts);
  if (arguments.cross_check_rounds > 0) {
    status.show(fmt::format("comparing with cyclictest and sockperf for {} s",
                            arguments.cross_check_rounds * kCrossCheckRoundSeconds));
    const Clock clock(facts.clock);
    for (Finding& one : cross_check(plan, arguments.cross_check_rounds, clock)) {
      findings.push_back(std::move(one));
    }
  }
  status.clear();
  print_findings(findings);
  if (!arguments.json.empty()) {
    constexpr auto kReplace = nlohmann::ordered_json::error_handler_t::replace;
    const std::string text = to_json(findings, facts).dump(2, ' ', false, kReplace);
    write_file_atomically(arguments.json, json_text(text) + "\n");
  }
  return fitness_of(findings) == Fitness::no ? kExitFailed : kExitDone;
}

std::vector<ExitCode> doctor_exit_codes() {
  return {{kExitDone, "fit to measure", "also with reservations"},
          {kExitFailed, "not fit to measure", "or the file could not be written"},
          {kExitUsage, "usage", "the command line is wrong"}};
}

}  // namespace

void commands::add_doctor_command(Command& program, const Catalog& catalog, Action& action) {
  Command* command = program.add_subcommand("doctor", "Say whether this machine is fit to measure");
  const auto arguments = std::make_shared<DoctorArguments>();
  command->add_option("--seconds", arguments->seconds, "how long to watch the machine")
      ->range(0.1, 600.0)
      ->capture_default_str();
  command->add_option("--load-cpus", arguments->placement.load_cpus,
                      "of the load threads: auto, any, or as 1,2-3");
  command->add_option("--controller-cpus", arguments->placement.controller_cpus,
                      "processors of the controller, likewise");
  command->add_option("--consumer-cpus", arguments->placement.consumer_cpus,
                      "processors of the consumer, likewise");
  command->add_option("--scratch", arguments->scratch, "folder for the sinks' files, as for 'run'")
      ->type_name("DIR");
  command
      ->add_option("--cross-check", arguments->cross_check_rounds,
                   "compare with cyclictest, sockperf: rounds of 5 s")
      ->type_name("ROUNDS")
      ->range(1u, 1000u);
  command->add_option("--json", arguments->json, "also write what was found to this file")
      ->type_name("FILE");
  command->exit_codes(doctor_exit_codes());
  command->footer(
      "Give the options that the run will get. Measures no sink and changes nothing.\n"
      "What the system does not tell is 'not known', and counts for nothing. The last\n"
      "line is the answer: yes, with reservations (after a warning), or no (after a\n"
      "problem).\n"
      "\n"
      "Exit codes: " +
      brief_list(doctor_exit_codes()) +
      ".\n"
      "\n"
      "--cross-check has other programs, if they are installed, measure the same as\n"
      "tailgate: how late a thread wakes up, and how long a round trip takes. They take\n"
      "turns, and a difference by more than a factor of two is a warning.\n"
      "\n"
      "JSON: format, version, fit, fingerprint, watched_s, and findings, each with\n"
      "name, mark, value, remedy and figures (numbers, by names that end in the unit).\n"
      "\n"
      "Examples:\n"
      "  tailgate doctor\n"
      "  tailgate doctor --seconds 10 --load-cpus 2-3 --json doctor.json\n"
      "  tailgate doctor --cross-check 3     (15 s; Debian: rt-tests, sockperf)\n"
      "  tailgate doctor && tailgate run");
  command->callback([arguments, &catalog, &action] {
    action = [arguments, &catalog] { return doctor(*arguments, catalog.sinks); };
  });
}

}  // namespace tailgate
