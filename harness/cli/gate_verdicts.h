// Verdicts on duets: what the commands that judge share.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness/gate/command_gate.h"
#include "harness/gate/policy.h"
#include "harness/result/verdict.h"

namespace tailgate {

// A duet that was planned and left no file. It fails where B lacks what A has.
struct MissingDuet {
  std::string outcome;   // fail, inconclusive or invalid
  std::string scenario;  // or its preset
  std::string sink;      // with its options
  std::string why;
};

// Of the option --waive, which takes Policy::waived_commits.
inline constexpr const char* kWaiveHelp = "B has this commit and A has not: use its waivers";

// Judges one file. settings: for a duet of commands. Throws UsageError for a file that holds no
// duet.
Verdict judge_duet_file(const std::filesystem::path& file, const CommandGateSettings& settings,
                        const Policy& policy);

// For one of so many duets that are judged together: they share the probability of a false fail.
// Throws UsageError where the policy's rounds could then not tell a fail any more.
Policy shared_by(const Policy& policy, std::size_t duets);

// Judges duets together by Holm's step-down: all share the probability of a false fail, and once
// some have failed the others share it. Each gives its verdict under a policy; calls it more than
// once.
std::vector<Verdict> judge_together(const std::vector<std::function<Verdict(const Policy&)>>& duets,
                                    const Policy& policy);

// What a false fail's probability of `policy` comes to, in a year of merges.
std::string false_fails_text(const Policy& policy);

// Throws UsageError for any other outcome.
Verdict verdict_on_missing(const MissingDuet& missing);

// Writes the verdicts into the files (by format) and draws them into the folder `plots` unless its
// path is empty. Returns the worst one's exit code.
int deliver_verdicts(const std::vector<Verdict>& verdicts,
                     const std::map<std::string, std::filesystem::path>& files,
                     const std::filesystem::path& plots);

// The policy in that file, or the built-in one where the path is empty; allow_dirty: but that
// builds of uncommitted changes are judged, too; nightly: with its rules for nights. Throws
// UsageError.
Policy policy_at(const std::filesystem::path& file, bool allow_dirty, bool nightly = false);

}  // namespace tailgate
