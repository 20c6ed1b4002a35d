// tailgate claims: which claims about logging paths hold on this machine?
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <set>

#include "harness/cli/commands.h"
#include "harness/cli/known_names.h"
#include "harness/cli/preset_folders.h"
#include "harness/cli/readable_results.h"
#include "harness/cli/terminal.h"
#include "harness/os/atomic_file.h"
#include "harness/report/exporter.h"
#include "harness/report/judge_claims.h"
#include "harness/run/preset.h"

namespace tailgate {
namespace {

struct ClaimsRequest {
  std::vector<std::filesystem::path> paths;
  std::filesystem::path markdown;
  std::filesystem::path html;
  bool json = false;
};

// The suite that measures the claims of this installation, and where they are.
constexpr const char* kSuite = "claims";

std::filesystem::path own_claims() {
  return preset_folders().front() / "claims" / "claims.toml";
}

// Takes the file of claims out of the paths; this installation's where there is none.
std::filesystem::path take_claims_file(std::vector<std::filesystem::path>& paths) {
  const auto found = std::find_if(paths.begin(), paths.end(),
                                  [](const auto& path) { return path.extension() == ".toml"; });
  if (found == paths.end()) return own_claims();
  const std::filesystem::path file = *found;
  paths.erase(found);
  return file;
}

// A name that nothing has would never be measured.
void check_run(const Catalog& catalog, const ClaimRun& run, const Results& results) {
  std::vector<std::string> measured;
  for (const NamedResult& named : results) {
    measured.push_back(named.result.sink.name);
    if (run.matches(named.result)) return;
  }
  check_sink_name(catalog.sinks, measured, run.sink);
  find_preset(catalog, run.scenario, preset_folders());
}

void check_claims(const Catalog& catalog, const std::vector<Claim>& claims,
                  const Results& results) {
  for (const Claim& claim : claims) {
    try {
      check_run(catalog, claim.run, results);
      if (claim.than) check_run(catalog, *claim.than, results);
    } catch (const Error& error) {
      throw UsageError(Error(claim.place + ": " + error.what_failed(), error.remedy()));
    }
  }
}

std::string why_not_here(const SinkCatalog& sinks, const std::string& sink) {
  try {
    const SinkChoice choice = sinks.choice(sink);
    const Probe probe = choice.type->probe(choice.options);
    if (probe.available) return "";
    return fmt::format("sink '{}' is not available here: {}", choice.type->name(), probe.reason);
  } catch (const Error& error) {
    return error.what_failed();
  }
}

bool has_option(const Catalog& catalog, const std::string& scenario, const std::string& option) {
  const Preset preset = find_preset(catalog, scenario, preset_folders());
  const OptionTable& table = preset.runs.front().options.table();
  return std::any_of(table.begin(), table.end(),
                     [&](const OptionSpec& spec) { return spec.name == option; });
}

std::string run_command(const Catalog& catalog, const ClaimRun& run) {
  std::string command = fmt::format("tailgate run {} --sink {}", run.scenario, run.sink);
  for (const char* option : {"rate_hz", "rates_hz"}) {
    if (!run.rate_hz || *run.rate_hz <= 0 || !has_option(catalog, run.scenario, option)) continue;
    command += fmt::format(" --set {}={:.10g}", option, *run.rate_hz);
  }
  for (const Setting& setting : run.set) {
    command += fmt::format(" --set {}={}", setting.name, setting.value);
  }
  return command + " --trials 5 --out DIR";
}

// Each command once, a line each; of this installation's claims the suite that measures them all.
std::string what_to_measure(const ClaimVerdicts& verdicts, bool own) {
  std::set<std::string> said;
  std::string text;
  for (const ClaimVerdict& verdict : verdicts.list) {
    if (verdict.measure.empty() || !said.insert(verdict.measure).second) continue;
    text += "  " + verdict.measure + "\n";
  }
  if (text.empty() || !own) return text;
  return fmt::format(
      "  tailgate run {0} --out DIR   # 'tailgate run {0} --plan' says how long\n"
      "  tailgate claims DIR\n",
      kSuite);
}

int show_claims(const Catalog& catalog, const ClaimsRequest& request) {
  std::vector<std::filesystem::path> paths = request.paths;
  const std::filesystem::path file = take_claims_file(paths);
  const std::vector<Claim> claims = as_usage([&] { return load_claims(file); });
  ReadableResults read;
  if (!paths.empty()) read = read_results(paths);
  check_claims(catalog, claims, read.results);
  const ClaimSurroundings surroundings = {
      [&](const std::string& sink) { return why_not_here(catalog.sinks, sink); },
      [&](const ClaimRun& run) { return run_command(catalog, run); }};
  ClaimVerdicts verdicts = judge_claims(claims, read.results, surroundings);
  verdicts.measure = what_to_measure(verdicts, file == own_claims());
  std::cout << render(verdicts, request.json ? "json" : "text", {.colour = colour_wanted(stdout)});
  if (!request.markdown.empty()) {
    write_file_atomically(request.markdown, render(verdicts, "markdown"));
  }
  if (!request.html.empty()) write_file_atomically(request.html, render(verdicts, "html"));
  return read.all() ? kExitDone : kExitFailed;
}

}  // namespace

void commands::add_claims_command(Command& program, const Catalog& catalog, Action& action) {
  Command* command = program.add_subcommand("claims", "Say which claims of others hold here");
  const auto request = std::make_shared<ClaimsRequest>();
  command
      ->add_option("paths", request->paths,
                   "A file of claims, .toml; else the built-in ones;\n"
                   "files of runs, and folders of them")
      ->type_name("FILE|DIR");
  command->add_option("--markdown", request->markdown, "Also write a table in Markdown")
      ->type_name("FILE");
  command->add_option("--html", request->html, "Also write a page for a browser")
      ->type_name("FILE");
  command->add_flag("--json", request->json, "Print the same as JSON");
  command->footer(
      "Judges claims about logging paths, such as those of loggers' own READMEs, on\n"
      "results: what is claimed and where, what this machine shows, and whether it\n"
      "holds, does not hold, or cannot be told here and why. Exit code 0 whatever\n"
      "holds; 1 if one of several results cannot be read.\n"
      "\n"
      "A claim holds if the whole 95 % interval over the trials keeps its bounds. It\n"
      "cannot be told if the interval straddles a bound, the run was not measured, the\n"
      "machine was too busy for that figure, or the sink is not available here.\n"
      "\n"
      "A claim is five lines of a file:\n"
      "\n"
      "  [[claim]]\n"
      "  claim = \"a call takes 100 to 300 ns\"\n"
      "  source = \"https://example.org/README.md\"\n"
      "  run = { scenario = \"steady\", sink = \"lttng\", rate = \"10k\" }\n"
      "  holds = [\"service p50 >= 100ns\", \"service p50 <= 300ns\"]\n"
      "\n"
      "With than = { sink = \"journald\" } the bounds are on the ratio of two runs:\n"
      "holds = \"p99.9 < 0.5\". scenarios/README.md lists the figures.\n"
      "\n"
      "Examples:\n"
      "  tailgate claims                      # what is claimed, and how to measure it\n"
      "  tailgate run claims --out out/claims && tailgate claims out/claims\n"
      "  tailgate claims mine.toml out/today --html claims.html\n"
      "  tailgate claims out/claims --json | jq '.claims[] | {claim, verdict}'");
  command->callback([request, &catalog, &action] {
    action = [request, &catalog] { return show_claims(catalog, *request); };
  });
}

}  // namespace tailgate
