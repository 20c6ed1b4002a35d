#include "harness/cli/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>
#include <sstream>

#include "harness/base/atomic_file.h"
#include "harness/base/install_paths.h"
#include "harness/base/process.h"
#include "harness/cli/commands.h"
#include "harness/cli/terminal.h"
#include "harness/gate/comparable.h"
#include "harness/gate/gate.h"
#include "harness/report/compare_text.h"
#include "harness/report/duet_text.h"
#include "harness/report/verdict_exporter.h"
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
      if (json && is_duet_file(entry.path())) inside.push_back(entry.path());
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

int gate_against_baseline(const GateRequest& request, std::ostream& out) {
  const Result baseline = as_usage([&] { return load_result(request.baseline); });
  const auto files = as_usage([&] { return find_result_files(request.paths); });
  bool comparable = true;
  for (const std::filesystem::path& file : files) {
    const Result result = as_usage([&] { return load_result(file); });
    out << render_comparison({baseline, result}, {request.baseline.string(), file.string()},
                             request.colour);
    comparable = comparable && reasons_against(baseline, result).empty();
  }
  return verdict_exit_code(comparable ? kVerdictInconclusive : kVerdictInvalid);
}

Verdict verdict_on_missing(const MissingDuet& missing) {
  if (missing.outcome != kVerdictInconclusive && missing.outcome != kVerdictInvalid) {
    throw UsageError(Error(fmt::format("a missing duet cannot be '{}'", missing.outcome),
                           "it is inconclusive, or invalid"));
  }
  Verdict verdict;
  verdict.outcome = missing.outcome;
  verdict.a = verdict.b = verdict.sink = missing.sink;
  verdict.scenario = missing.scenario;
  verdict.reasons.push_back({missing.why, "run it again; nothing is known of it"});
  return verdict;
}

// By the Python script in plots/, from the file that goes beside the plots.
void draw(const std::vector<Verdict>& verdicts, const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  const std::filesystem::path file = folder / "verdict.json";
  std::ostringstream text;
  verdict_json_exporter().write(verdicts, text);
  write_file_atomically(file, std::move(text).str());
  const std::string script = (data_dir() / "plots" / "shift.py").string();
  if (run_program({python_program(), script, file.string(), "--out", folder.string()}) != 0) {
    fmt::print(stderr,
               "'{}' could not be drawn\n  the script's message is above; the verdicts stand "
               "without plots\n",
               file.string());
  }
}

void add_missing_option(CLI::App& command, GateRequest& request) {
  constexpr int kWords = 4;
  command
      .add_option_function<std::vector<std::string>>(
          "--missing",
          [&request](const std::vector<std::string>& words) {
            for (std::size_t i = 0; i + kWords <= words.size(); i += kWords) {
              request.missing.push_back({words[i], words[i + 1], words[i + 2], words[i + 3]});
            }
          },
          "A duet without a file: inconclusive or invalid")
      ->type_size(kWords)
      ->allow_extra_args(false)
      ->take_all()
      ->type_name("OUTCOME SCENARIO SINK WHY");
}

const VerdictExporter& exporter_named(const std::string& name) {
  for (const VerdictExporter* exporter : verdict_exporters()) {
    if (exporter->name() == name) return *exporter;
  }
  throw std::logic_error("no verdict exporter " + name);
}

}  // namespace

Policy policy_at(const std::filesystem::path& file, bool allow_dirty) {
  Policy policy = as_usage([&] { return file.empty() ? Policy{} : load_policy(file); });
  policy.allow_dirty_builds = policy.allow_dirty_builds || allow_dirty;
  return policy;
}

int gate(const GateRequest& request, std::ostream& out) {
  if (request.paths.empty() && request.missing.empty()) {
    throw UsageError(Error("there is no duet to judge", "name what 'tailgate duet --out' wrote"));
  }
  Policy policy = policy_at(request.policy, request.allow_dirty);
  policy.waived_commits = request.waived_commits;
  if (!request.baseline.empty()) return gate_against_baseline(request, out);
  std::vector<Verdict> verdicts;
  for (const MissingDuet& missing : request.missing) {
    verdicts.push_back(verdict_on_missing(missing));
  }
  for (const auto& file : as_usage([&] { return find_duet_files(request.paths); })) {
    const Duet duet = as_usage([&] { return load_duet_to_gate(file); });
    verdicts.push_back(judge(duet, policy, today_utc()));
    verdicts.back().duet = file.string();
  }
  out << render_verdicts(verdicts, request.colour);
  for (const auto& [format, file] : request.files) {
    std::ostringstream text;
    exporter_named(format).write(verdicts, text);
    write_file_atomically(file, std::move(text).str());
  }
  if (!request.plots.empty()) draw(verdicts, request.plots);
  return verdict_exit_code(verdicts);
}

void add_gate_command(CLI::App& program, Action& action) {
  CLI::App* command = program.add_subcommand("gate", "Judge duets: is B worse than A?");
  const auto request = std::make_shared<GateRequest>();
  command->add_option("paths", request->paths, "Duets, and directories that hold some")
      ->type_name("FILE|DIR");
  add_missing_option(*command, *request);
  command->add_option("--policy", request->policy, "Margins, looks, waivers; else the built-in")
      ->type_name("FILE");
  command->add_option("--waive", request->waived_commits, kWaiveHelp)
      ->allow_extra_args(false)
      ->type_name("COMMIT");
  command->add_flag("--allow-dirty", request->allow_dirty, "Judge builds of uncommitted changes");
  for (const VerdictExporter* exporter : verdict_exporters()) {
    const std::string name = exporter->name();
    command
        ->add_option_function<std::string>(
            "--" + name, [request, name](const std::string& file) { request->files[name] = file; },
            "Also write " + exporter->description())
        ->type_name("FILE");
  }
  command->add_option("--baseline", request->baseline, "Show the difference from a stored result")
      ->type_name("FILE");
  command->add_option("--plots", request->plots, "Also draw them, with verdict.json")
      ->type_name("DIR");
  command->footer(
      "Exit codes: 0 pass, 1 fail, 2 usage, 3 inconclusive, 4 invalid; of several duets\n"
      "the worst one's. ci/GATE.md says how the gate decides.\n"
      "\n"
      "Examples:\n"
      "  tailgate gate duet.json\n"
      "  tailgate gate out/gate --policy ci/policy.toml --junit verdict.xml\n"
      "  tailgate gate 'steady@file.json' --baseline 'old/steady@file.json'");
  command->callback([request, &action] {
    action = [request] {
      request->colour = colour_wanted(stdout);
      return as_verdict([&] { return gate(*request, std::cout); });
    };
  });
}

void compare(const CompareRequest& request, std::ostream& out) {
  if (request.paths.size() == 1 && is_duet_file(request.paths.front())) {
    const Duet duet = as_usage([&] { return load_duet(request.paths.front()); });
    out << render_duet(duet, {.colour = request.colour});
    return;
  }
  std::vector<Result> results;
  std::vector<std::string> names;
  for (const auto& file : as_usage([&] { return find_result_files(request.paths); })) {
    results.push_back(as_usage([&] { return load_result(file); }));
    names.push_back(file.string());
  }
  if (results.size() < 2) {
    throw UsageError(Error("one result is nothing to compare", "give two or more, or one duet"));
  }
  out << render_comparison(results, names, request.colour);
}

void add_compare_command(CLI::App& program, Action& action) {
  CLI::App* command = program.add_subcommand("compare", "Show results side by side");
  const auto request = std::make_shared<CompareRequest>();
  command->add_option("paths", request->paths, "Results, against the first; or one duet")
      ->required()
      ->type_name("FILE|DIR");
  command->footer(
      "There is no verdict: runs one after the other differ by more than most changes.\n"
      "'tailgate duet' and 'tailgate gate' judge.\n"
      "\n"
      "Examples:\n"
      "  tailgate compare before/steady@file.json after/steady@file.json\n"
      "  tailgate compare duet.json");
  command->callback([request, &action] {
    action = [request] {
      request->colour = colour_wanted(stdout);
      compare(*request, std::cout);
      return kExitDone;
    };
  });
}

}  // namespace tailgate
