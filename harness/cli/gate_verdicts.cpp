#include "harness/cli/gate_verdicts.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "harness/cli/commands.h"
#include "harness/cli/terminal.h"
#include "harness/gate/comparable.h"
#include "harness/gate/gate.h"
#include "harness/os/atomic_file.h"
#include "harness/os/install_paths.h"
#include "harness/os/process.h"
#include "harness/report/exporter.h"
#include "harness/result/files.h"

namespace tailgate {
namespace {

Duet load_duet_to_gate(const std::filesystem::path& path) {
  try {
    return load_duet(path);
  } catch (const Error& error) {
    const bool result = std::filesystem::exists(path) && !is_duet_file(path);
    throw Error(error.what_failed(),
                result ? "give a file that 'tailgate duet' wrote. A result by itself has no "
                         "verdict: --baseline FILE shows how it differs from a stored one"
                       : error.remedy());
  }
}

// By the Python script in plots/, from the file that goes beside the plots.
void draw(const std::vector<Verdict>& verdicts, const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  const std::filesystem::path file = folder / "verdict.json";
  write_file_atomically(file, render(Verdicts{verdicts}, "json"));
  std::vector<std::string> command = plot_command("shift.py");
  for (const std::string& word : {file.string(), std::string("--out"), folder.string()}) {
    command.push_back(word);
  }
  std::cout.flush();  // the script prints next
  if (run_program(command) != 0) {
    tell(
        "'{}' could not be drawn\n  the script's message is above; the verdicts stand "
        "without plots\n",
        file.string());
  }
}

}  // namespace

Verdict judge_duet_file(const std::filesystem::path& file, const CommandGateSettings& settings,
                        const Policy& policy) {
  Verdict verdict =
      is_command_duet_file(file)
          ? judge(as_usage([&] { return load_command_duet(file); }), settings, policy)
          : judge(as_usage([&] { return load_duet_to_gate(file); }), policy, today_utc());
  verdict.duet = file.string();
  return verdict;
}

Verdict verdict_on_missing(const MissingDuet& missing) {
  const auto outcome = enum_value<VerdictOutcome>(missing.outcome);
  if (!outcome || *outcome == VerdictOutcome::pass) {
    throw UsageError(Error(fmt::format("a missing duet cannot be '{}'", missing.outcome),
                           "it is a fail, inconclusive, or invalid"));
  }
  Verdict verdict;
  verdict.outcome = *outcome;
  verdict.a = verdict.b = verdict.sink = missing.sink;
  verdict.scenario = missing.scenario;
  verdict.reasons.push_back({missing.why, *outcome == VerdictOutcome::fail
                                              ? "find out what the change broke"
                                              : "run it again; nothing is known of it"});
  return verdict;
}

int deliver_verdicts(const std::vector<Verdict>& verdicts,
                     const std::map<std::string, std::filesystem::path>& files,
                     const std::filesystem::path& plots) {
  for (const auto& [format, file] : files) {
    write_file_atomically(file, render(Verdicts{verdicts}, format));
  }
  const bool any_round = std::any_of(verdicts.begin(), verdicts.end(), [](const Verdict& verdict) {
    return verdict.rounds_recorded > 0;
  });
  if (!plots.empty() && any_round) draw(verdicts, plots);
  return verdict_exit_code(verdicts);
}

Policy policy_at(const std::filesystem::path& file, bool allow_dirty) {
  Policy policy = as_usage([&] { return file.empty() ? default_policy() : load_policy(file); });
  policy.allow_dirty_builds = policy.allow_dirty_builds || allow_dirty;
  return policy;
}

}  // namespace tailgate
