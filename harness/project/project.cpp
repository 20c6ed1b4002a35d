#include "harness/project/project.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/base/error.h"
#include "harness/base/toml_reader.h"
#include "harness/samples/format.h"

namespace tailgate {
namespace {

constexpr double kDayS = 86'400;
constexpr std::string_view kPluginWord = "plugin";

std::string said(const TomlNode& node, std::string_view name) {
  std::string text = node.text(name);
  if (text.empty()) node.fail(fmt::format("{} is empty", name), "say what it is");
  return text;
}

// A path inside of the project.
std::filesystem::path inner_path(const TomlNode& node, std::string_view name) {
  const std::filesystem::path path = std::filesystem::path(said(node, name)).lexically_normal();
  if (path.is_absolute() || *path.begin() == "..") {
    node.fail(fmt::format("{} = '{}' is outside of the project", name, path.string()),
              "give a path that begins at the project's root");
  }
  return path;
}

// Rounds that share a layout count as one where sides are exchanged: 2^15 exchanges reach the p
// value of a fail, and the first look is after 15 rounds.
constexpr unsigned kFewestLayouts = 15;
constexpr unsigned kMostLayouts = 200;

void read_layouts(const TomlNode& build, Project& project) {
  if (const TomlNode* list = build.find("programs")) {
    if (!list->is_list()) list->fail("programs is not a list", "write programs = [\"PATH\"]");
    for (const TomlNode& program : list->entries()) {
      project.programs.push_back(inner_path(program, "a program"));
    }
  }
  const TomlNode* const layouts = build.find("layouts");
  if (layouts == nullptr) return;
  const double count = layouts->number("layouts", 0, kMostLayouts);
  project.layouts = static_cast<unsigned>(count);
  if (count != project.layouts || (count > 0 && count < kFewestLayouts)) {
    layouts->fail(
        fmt::format("layouts = {:g}: rounds with the same layouts count as one in the test of no "
                    "change, and of fewer than {} no exchange of sides is rare enough for a fail",
                    count, kFewestLayouts),
        "write 15, or 0 for the one layout that the build makes");
  }
  if (project.layouts > 0 && project.linked().empty()) {
    layouts->fail("layouts are of linked files, and none is named",
                  "name them: programs = [\"build/bench\"]");
  }
}

void read_build(const TomlNode& build, Project& project) {
  build.check_keys({"command", "plugin", "tailgate", "timeout_s", "layouts", "programs"});
  project.build = said(build.required("command", "how the project is built"), "command");
  if (const TomlNode* timeout = build.find("timeout_s")) {
    project.build_timeout_s = timeout->number("timeout_s", 1, kDayS);
  }
  const TomlNode* const plugin = build.find("plugin");
  const TomlNode* const program = build.find("tailgate");
  if (plugin != nullptr && program != nullptr) {
    build.fail("it makes both a plugin and a tailgate", "keep one of the two");
  }
  if (plugin != nullptr) {
    project.makes = BuildMakes::plugin;
    project.made = inner_path(*plugin, "plugin");
    // The name of a sink ends at its options, and a list of sinks has commas.
    if (project.made.string().find_first_of(":,") != std::string::npos) {
      plugin->fail(fmt::format("plugin = '{}' has a ':' or ','", project.made.string()),
                   "give the library another name");
    }
  } else if (program != nullptr) {
    project.makes = BuildMakes::tailgate;
    project.made = inner_path(*program, "tailgate");
  }
  read_layouts(build, project);
}

std::vector<std::string> read_metric_names(const TomlNode& list) {
  if (!list.is_list()) list.fail("metrics is not a list", "write metrics = [\"NAME\"]");
  std::vector<std::string> names;
  for (const TomlNode& name : list.entries()) names.push_back(said(name, "a metric"));
  return names;
}

ProjectBenchmark read_benchmark(const TomlNode& in) {
  in.check_keys({"name", "command", "from", "calls", "margin", "metrics", "timeout_s", "cpus"});
  ProjectBenchmark benchmark;
  benchmark.name = said(in.required("name", "what tables call it"), "name");
  benchmark.command = said(in.required("command", "what is run"), "command");
  if (const TomlNode* from = in.find("from")) {
    benchmark.from = said(*from, "from");
    std::vector<std::string> known;
    for (const SampleFormat* format : all_sample_formats()) known.emplace_back(format->name);
    if (std::find(known.begin(), known.end(), benchmark.from) == known.end()) {
      from->refuse_name(fmt::format("there is no format '{}'", benchmark.from), benchmark.from,
                        known);
    }
  }
  if (const TomlNode* calls = in.find("calls")) {
    benchmark.calls = said(*calls, "calls");
    if (!benchmark.from.empty()) {
      calls->fail("a benchmark has both from and calls", "keep one: what it prints, or its calls");
    }
  }
  if (const TomlNode* margin = in.find("margin")) benchmark.margin = said(*margin, "margin");
  if (const TomlNode* list = in.find("metrics")) benchmark.metrics = read_metric_names(*list);
  if (const TomlNode* cpus = in.find("cpus")) benchmark.cpus = said(*cpus, "cpus");
  if (const TomlNode* timeout = in.find("timeout_s")) {
    benchmark.timeout_s = timeout->number("timeout_s", 0.1, kDayS);
  }
  return benchmark;
}

std::vector<ProjectBenchmark> read_benchmarks(const TomlNode& root) {
  std::vector<ProjectBenchmark> benchmarks;
  std::set<std::string> names;
  for (const TomlNode* in : root.tables_at("benchmark")) {
    benchmarks.push_back(read_benchmark(*in));
    const std::string& name = benchmarks.back().name;
    if (!names.insert(name).second) {
      in->fail(fmt::format("the benchmark '{}' is named twice", name), "give it another name");
    }
  }
  return benchmarks;
}

// The rules and runs are in the file itself, or all in another.
void read_policy_path(const TomlNode& root, Project& project) {
  project.policy = project.file;
  const TomlNode* policy = root.find("policy");
  if (policy == nullptr) return;
  for (const char* key : {"gate", "metrics", "scoped", "waiver", "run", "nightly"}) {
    const TomlNode* other = root.find(key);
    if (other == nullptr) continue;
    other->fail(fmt::format("'{}' stands beside policy = …", key),
                "keep rules and runs in one file: move it to that policy");
  }
  root.check_keys({"build", "benchmark", "policy"});
  project.policy = project.root() / inner_path(*policy, "policy");
}

}  // namespace

std::vector<std::filesystem::path> Project::linked() const {
  std::vector<std::filesystem::path> files = programs;
  if (!made.empty()) files.insert(files.begin(), made);
  return files;
}

std::string Project::sink_of(const std::string& sink,
                             const std::filesystem::path& side_root) const {
  if (makes != BuildMakes::plugin) return sink;
  const bool named = sink == kPluginWord || sink.starts_with(std::string(kPluginWord) + ":");
  if (!named) {
    throw Error(fmt::format("{} runs the sink '{}', which its build does not make",
                            policy.filename().string(), sink),
                "write 'plugin' or 'plugin:OPTIONS', which stand for the built library");
  }
  return (side_root / made).string() + sink.substr(kPluginWord.size());
}

std::optional<std::filesystem::path> find_project_file(const std::filesystem::path& start) {
  std::error_code failed;
  for (std::filesystem::path folder = std::filesystem::absolute(start);;
       folder = folder.parent_path()) {
    const std::filesystem::path file = folder / kProjectFileName;
    if (std::filesystem::is_regular_file(file, failed)) return file;
    if (folder == folder.parent_path()) return {};
  }
}

Project parse_project(std::string_view text, const std::filesystem::path& file) {
  const TomlNode root = parse_toml(text, file.string());
  Project project;
  project.file = file;
  read_policy_path(root, project);
  read_build(root.required("build", "how the project is built"), project);
  project.benchmarks = read_benchmarks(root);
  return project;
}

Project load_project(const std::filesystem::path& file) {
  return parse_project(
      read_toml_file(file, "project file", "'tailgate init' writes one in this folder"), file);
}

}  // namespace tailgate
