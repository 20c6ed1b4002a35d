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

Policy shared_by(const Policy& policy, std::size_t duets) {
  Policy shared = policy;
  shared.looks = policy.looks.shared_by(duets);
  const double least = policy.looks.least_false_fail();
  const std::size_t rounds = policy.looks.rounds.back();
  const bool few_layouts = policy.looks.clusters > 0 && policy.looks.clusters < rounds;
  if (shared.looks.false_fail >= least || (policy.looks.false_fail < least && !few_layouts)) {
    return shared;
  }
  throw UsageError(Error(
      fmt::format("false_fail = {:g} among {} duets is {:.2g} for each, less than {} {} can tell",
                  policy.looks.false_fail, duets, shared.looks.false_fail,
                  few_layouts ? policy.looks.clusters : rounds, few_layouts ? "layouts" : "rounds"),
      few_layouts ? "raise layouts in tailgate.toml: each one more halves what they can tell"
                  : "raise false_fail, let the last look be later, or judge fewer duets together"));
}

std::vector<Verdict> judge_together(const std::vector<std::function<Verdict(const Policy&)>>& duets,
                                    const Policy& policy) {
  std::size_t failed = 0;
  while (true) {
    const Policy shared = shared_by(policy, duets.size() - std::min(failed, duets.size() - 1));
    std::vector<Verdict> verdicts;
    for (const auto& judged : duets) verdicts.push_back(judged(shared));
    const auto fails = static_cast<std::size_t>(std::count_if(
        verdicts.begin(), verdicts.end(),
        [](const Verdict& verdict) { return verdict.outcome == VerdictOutcome::fail; }));
    if (fails <= failed || fails == duets.size()) return verdicts;
    failed = fails;
  }
}

std::string false_fails_text(const Policy& policy) {
  constexpr double kMergesPerDay = 20;
  constexpr double kDaysPerYear = 365;
  return fmt::format(
      "Of gates of two revisions that do not differ at most {:g} in 1000 fail, all duets together: "
      "at {:g} merges a day at most {:.2g} a year.",
      policy.looks.false_fail * 1000, kMergesPerDay,
      policy.looks.false_fail * kMergesPerDay * kDaysPerYear);
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

Policy policy_at(const std::filesystem::path& file, bool allow_dirty, bool nightly) {
  Policy policy = as_usage([&] { return file.empty() ? default_policy() : load_policy(file); });
  policy.allow_dirty_builds = policy.allow_dirty_builds || allow_dirty;
  return nightly ? policy.of_nights() : policy;
}

}  // namespace tailgate
