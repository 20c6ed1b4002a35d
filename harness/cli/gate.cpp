#include "harness/cli/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <iostream>
#include <iterator>
#include <memory>

#include "harness/cli/commands.h"
#include "harness/cli/gate_revisions.h"
#include "harness/cli/terminal.h"
#include "harness/gate/command_gate.h"
#include "harness/gate/comparable.h"
#include "harness/gate/gate.h"
#include "harness/os/atomic_file.h"
#include "harness/os/install_paths.h"
#include "harness/os/process.h"
#include "harness/report/exporter.h"
#include "harness/result/files.h"

namespace tailgate {
namespace {

// The given duets, and for a directory those directly inside it, by name.
std::vector<std::filesystem::path> find_duet_files(
    const std::vector<std::filesystem::path>& files_and_directories) {
  std::vector<std::filesystem::path> found;
  for (const std::filesystem::path& path : files_and_directories) {
    if (!std::filesystem::is_directory(path)) {
      found.push_back(path);
      continue;
    }
    std::vector<std::filesystem::path> inside;
    for (const auto& entry : std::filesystem::directory_iterator(path)) {
      const bool json = entry.is_regular_file() && entry.path().extension() == ".json";
      if (json && (is_duet_file(entry.path()) || is_command_duet_file(entry.path())))
        inside.push_back(entry.path());
    }
    if (inside.empty()) {
      throw Error(fmt::format("directory '{}' holds no duet (*.json)", path.string()),
                  "give what 'tailgate duet --out' wrote");
    }
    std::sort(inside.begin(), inside.end());
    found.insert(found.end(), inside.begin(), inside.end());
  }
  return found;
}

// The verdict on a result that was not taken in duet: there is no pass and no fail.
Verdict verdict_without_duet(const NamedResult& baseline, const NamedResult& subject) {
  Verdict verdict;
  const Result& result = subject.result;
  verdict.label = result.label;
  verdict.a = baseline.name;
  verdict.b = subject.name;
  verdict.a_revision = baseline.result.build.revision;
  verdict.b_revision = result.build.revision;
  verdict.sink = result.sink.label;
  verdict.scenario = result.scenario.preset.empty() ? result.scenario.name : result.scenario.preset;
  if (!result.trials.empty()) verdict.load = result.trials.front().load;
  verdict.fingerprint = result.machine.fingerprint;
  for (const auto& [step, reason] : why_incomparable(baseline.result, result)) {
    verdict.reasons.push_back(reason);
  }
  verdict.outcome =
      verdict.reasons.empty() ? VerdictOutcome::inconclusive : VerdictOutcome::invalid;
  if (verdict.reasons.empty()) {
    verdict.reasons.push_back({"the result was not measured in duet with the baseline",
                               "measure both with 'tailgate duet'"});
  }
  return verdict;
}

std::vector<Verdict> compare_with_baseline(const GateRequest& request, std::ostream& out) {
  const auto load = [](const std::filesystem::path& file) {
    return NamedResult{file.string(), as_usage([&] { return load_result(file); })};
  };
  const NamedResult baseline = load(request.baseline);
  std::vector<Verdict> verdicts;
  for (const auto& file : as_usage([&] { return find_result_files(request.paths); })) {
    const NamedResult result = load(file);
    out << render(Comparison{{{baseline, result}}}, "text", {.colour = request.colour});
    verdicts.push_back(verdict_without_duet(baseline, result));
  }
  return verdicts;
}

void add_missing_option(Command& command, GateRequest& request) {
  constexpr int kWords = 4;
  command
      .add_words(
          "--missing", kWords,
          [&request](const std::vector<std::string>& words) {
            for (std::size_t i = 0; i + kWords <= words.size(); i += kWords) {
              request.missing.push_back({words[i], words[i + 1], words[i + 2], words[i + 3]});
            }
          },
          "A duet without a file: fail or other")
      ->type_name("OUTCOME SCENARIO SINK WHY");
}

// Which of the ways to judge is asked for: their options do not mix.
void check_options(const GateRequest& request) {
  const SampleGateRequest& samples = request.samples;
  if (!samples.from.empty()) {
    if (request.baseline.empty() && request.missing.empty() && request.plots.empty() &&
        request.waived_commits.empty() && !request.allow_dirty && !request.nightly) {
      return;
    }
    throw UsageError(Error("--from judges files of another benchmark",
                           "leave --baseline, --missing, --plots, --waive, --allow-dirty and "
                           "--nightly out: they are for tailgate's own"));
  }
  if (!samples.a.empty() || !samples.b.empty()) {
    throw UsageError(Error("--a and --b need --from", "name the format of the files with --from"));
  }
  if (request.paths.empty() && request.missing.empty()) {
    throw UsageError(Error("there is no duet to judge", "name what 'tailgate duet --out' wrote"));
  }
  if (!request.baseline.empty() && !request.missing.empty()) {
    throw UsageError(
        Error("--missing names duets, and --baseline compares results", "give one of the two"));
  }
  const bool of_duets = !request.policy.empty() || !request.waived_commits.empty() ||
                        request.allow_dirty || request.nightly || !request.samples.margin.empty() ||
                        !request.samples.metrics.empty();
  if (!request.baseline.empty() && of_duets) {
    throw UsageError(
        Error("--baseline shows a difference and judges nothing, so that rules of the "
              "gate play no part",
              "leave --policy, --waive, --allow-dirty, --nightly, --margin and "
              "--metric out"));
  }
}

std::vector<Verdict> judge_samples_of(const GateRequest& request, const Policy& policy,
                                      std::ostream& out) {
  std::vector<Verdict> verdicts = {judge_sample_files(request.samples, request.paths, policy)};
  out << render(Verdicts{verdicts}, "text", {.colour = request.colour});
  return verdicts;
}

// The options of commands are for duets of commands.
Verdict judge_given_file(const std::filesystem::path& file, const SampleGateRequest& samples,
                         const Policy& policy) {
  if (!is_command_duet_file(file) && (!samples.margin.empty() || !samples.metrics.empty())) {
    throw UsageError(
        Error(fmt::format("'{}' is no duet of commands, which --margin and --metric are for",
                          file.string()),
              "write margins into a policy (--policy)"));
  }
  return judge_duet_file(file, {parse_margin(samples.margin), samples.metrics}, policy);
}

std::vector<Verdict> judge_duets(const GateRequest& request, const Policy& policy,
                                 std::ostream& out) {
  std::vector<Verdict> verdicts;
  for (const MissingDuet& missing : request.missing) {
    verdicts.push_back(verdict_on_missing(missing));
  }
  std::vector<std::function<Verdict(const Policy&)>> duets;
  for (const auto& file : as_usage([&] { return find_duet_files(request.paths); })) {
    duets.emplace_back([file, &request](const Policy& shared) {
      return judge_given_file(file, request.samples, shared);
    });
  }
  if (!duets.empty()) {
    std::vector<Verdict> judged = judge_together(duets, policy);
    std::move(judged.begin(), judged.end(), std::back_inserter(verdicts));
  }
  out << render(Verdicts{verdicts}, "text", {.colour = request.colour});
  return verdicts;
}

// The request for two revisions, which take part of the options only.
RevisionGateRequest of_revisions(const GateRequest& request, RevisionGateRequest revisions) {
  if (!request.baseline.empty() || !request.missing.empty() || !request.plots.empty() ||
      !request.waived_commits.empty() || request.allow_dirty || !request.samples.margin.empty() ||
      !request.samples.metrics.empty()) {
    throw UsageError(Error(
        fmt::format("'{}' and '{}' are no files, so they are revisions, which take only --policy, "
                    "--out, --nightly, --minutes, --repin, --bisect and files to write",
                    request.paths[0].string(), request.paths[1].string()),
        "leave the other options out, or name files; git says which waivers hold"));
  }
  revisions.base = request.paths[0].string();
  revisions.head = request.paths[1].string();
  revisions.policy = request.policy;
  revisions.files = request.files;
  return revisions;
}

void check_no_revisions(const RevisionGateRequest& revisions) {
  if (revisions.out.empty() && !revisions.minutes && !revisions.bisect && !revisions.repin) return;
  throw UsageError(Error("--out, --minutes, --repin and --bisect are for two revisions",
                         "name two revisions of git, or leave these options out"));
}

}  // namespace

int gate(const GateRequest& request, std::ostream& out) {
  check_options(request);
  Policy policy = policy_at(request.policy, request.allow_dirty, request.nightly);
  policy.waived_commits = request.waived_commits;
  const std::vector<Verdict> verdicts =
      !request.samples.from.empty() ? judge_samples_of(request, policy, out)
      : request.baseline.empty()    ? judge_duets(request, policy, out)
                                    : compare_with_baseline(request, out);
  return deliver_verdicts(verdicts, request.files, request.plots);
}

void commands::add_gate_command(Command& program, const Catalog& catalog, Action& action) {
  Command* command = program.add_subcommand("gate", "Judge duets: is B worse than A?");
  const auto request = std::make_shared<GateRequest>();
  const auto revisions = std::make_shared<RevisionGateRequest>();
  command->add_option("paths", request->paths, "Duets, folders of them, or two revisions")
      ->type_name("FILE|DIR");
  command->add_option("--out", revisions->out, "Of revisions: the folder for all output")
      ->type_name("DIR");
  command->add_flag("--nightly", revisions->nightly,
                    "By the rules for nights, and with their runs");
  command->add_flag("--repin", revisions->repin, "Of revisions: the nights' reference moves so");
  command->add_flag("--bisect", revisions->bisect, "Of revisions: after a fail, find the commit");
  command->add_option("--minutes", revisions->minutes, "Of revisions: time for all of them")
      ->range(0.1, 10'000.0);
  add_sample_options(*command, request->samples);
  add_missing_option(*command, *request);
  command->add_option("--policy", request->policy, "Margins, looks, waivers; else the built-in")
      ->type_name("FILE");
  command->add_option("--waive", request->waived_commits, kWaiveHelp)
      ->one_value_each_time()
      ->type_name("COMMIT");
  command->add_flag("--allow-dirty", request->allow_dirty, "Judge builds of uncommitted changes");
  for (const Exporter* exporter : exporters_of(DocumentKind::verdicts)) {
    const std::string format(exporter->format);
    command
        ->add_option("--" + format, request->files[format],
                     fmt::format("Also write {}", exporter->help))
        ->type_name("FILE");
  }
  command->add_option("--baseline", request->baseline, "Show the difference from a stored result")
      ->type_name("FILE");
  command->add_option("--plots", request->plots, "Also draw them, with verdict.json")
      ->type_name("DIR");
  command->footer("Exit codes: " + brief_list(verdict_exit_codes()) +
                  ";\nof several duets the worst one's. ci/GATE.md says how the gate decides.\n"
                  "\n"
                  "BASE HEAD: both revisions are checked out and built, and what the project's\n"
                  "tailgate.toml names is run in duet ('tailgate init' writes that file). Run\n"
                  "again with the same --out, it goes on where it was stopped, and duets that\n"
                  "are inconclusive get more rounds and looks ([gate] resumed_looks). With\n"
                  "--bisect a fail is followed by gates of the commits between, of what failed\n"
                  "alone. --repin keeps what moving the nights' reference from BASE to HEAD\n"
                  "changes, in the policy's file [nightly] chain.\n"
                  "\n"
                  "--from is catch2, fio, gbench (Google Benchmark), hlog, hyperfine or numbers.\n"
                  "The unit is a process: harness/samples/README.md. The sides were\n"
                  "measured apart, so their repetitions are two groups that are not paired, and\n"
                  "the exact rank-sum test compares them, once. It needs 7 repetitions of each\n"
                  "side. Of the policy false_fail and false_pass count, the margin is --margin.\n"
                  "\n"
                  "Examples:\n"
                  "  tailgate gate main HEAD\n"
                  "  tailgate gate HEAD~1 HEAD --out out/last-change\n"
                  "  tailgate gate v1.2 HEAD --bisect\n"
                  "  tailgate gate v1.2 v1.3 --nightly --repin\n"
                  "  tailgate gate duet.json\n"
                  "  tailgate gate out/gate --policy ci/policy.toml --junit verdict.xml\n"
                  "  tailgate gate 'steady@file.json' --baseline 'old/steady@file.json'\n"
                  "  tailgate gate --from hyperfine old.json new.json --margin 3%\n"
                  "  tailgate gate --from gbench --a old/*.json --b new/*.json --metric cpu_time");
  command->exit_codes(verdict_exit_codes());
  command->callback([request, revisions, &catalog, &action] {
    const auto run = [request, revisions, &catalog] {
      std::erase_if(request->files, [](const auto& format) { return format.second.empty(); });
      request->colour = colour_wanted(stdout);
      if (request->samples.from.empty() && name_revisions(request->paths)) {
        return gate_revisions(catalog, of_revisions(*request, *revisions));
      }
      check_no_revisions(*revisions);
      request->nightly = revisions->nightly;
      return gate(*request, std::cout);
    };
    action = Action(run, true);
  });
}

}  // namespace tailgate
