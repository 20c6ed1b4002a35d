#include "scenarios/preset.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#define TOML_EXCEPTIONS 1
#include <toml++/toml.h>

#include "harness/base/error.h"
#include "providers/registry.h"

namespace tailgate {
namespace {

constexpr std::uintmax_t kMaxFileBytes = 1 << 20;

// Turns what a node holds into the text that an option takes; lists become "a,b,c".
class PresetReader {
 public:
  explicit PresetReader(std::string origin) : origin_(std::move(origin)) {}

  Preset read(std::string_view text) {
    toml::table root;
    try {
      root = toml::parse(text, origin_);
    } catch (const toml::parse_error& error) {
      throw Error(fmt::format("{}: {}", place(error.source()), error.description()),
                  "mend the TOML there");
    }
    Preset preset;
    preset.name = std::filesystem::path(origin_).stem().string();
    preset.suite = root.contains("run");
    check_keys(root, preset.suite
                         ? std::vector<std::string>{"description", "explain", "run"}
                         : std::vector<std::string>{"description", "scenario", "sinks", "set"});
    if (const toml::node* description = root.get("description")) {
      preset.description = text_of(*description, "description");
    }
    if (const toml::node* explain = root.get("explain")) {
      const auto wanted = explain->value_exact<bool>();
      if (!wanted) fail(*explain, "explain is not true or false", "write explain = true");
      preset.explain = *wanted;
    }
    if (preset.suite) {
      read_suite(root, preset);
    } else {
      preset.runs.push_back(read_run(root));
    }
    return preset;
  }

 private:
  std::string place(const toml::source_region& source) const {
    return fmt::format("{}:{}", origin_, source.begin.line);
  }

  [[noreturn]] void fail(const toml::node& node, const std::string& what,
                         const std::string& remedy) const {
    throw Error(fmt::format("{}: {}", place(node.source()), what), remedy);
  }

  void check_keys(const toml::table& table, const std::vector<std::string>& known) const {
    for (const auto& [key, node] : table) {
      if (std::find(known.begin(), known.end(), key.str()) != known.end()) continue;
      const std::string near = nearest_name(key.str(), known);
      throw Error(fmt::format("{}: unknown key '{}'", place(key.source()), key.str()),
                  near.empty() ? fmt::format("known keys: {}", fmt::join(known, ", "))
                               : fmt::format("did you mean '{}'?", near));
    }
  }

  std::string text_of(const toml::node& node, std::string_view key) const {
    const auto text = node.value_exact<std::string>();
    if (!text) fail(node, fmt::format("{} is not a text", key), "put it in quotes");
    return *text;
  }

  std::string option_text(const toml::node& node, std::string_view key) const {
    if (const auto text = node.value_exact<std::string>()) return *text;
    if (const auto whole = node.value_exact<std::int64_t>()) return fmt::format("{}", *whole);
    if (const auto real = node.value_exact<double>()) return fmt::format("{}", *real);
    if (const auto flag = node.value_exact<bool>()) return *flag ? "true" : "false";
    if (const toml::array* list = node.as_array()) {
      std::vector<std::string> parts;
      for (const toml::node& part : *list) {
        if (part.is_array()) fail(part, fmt::format("{} is a list of lists", key), "flatten it");
        parts.push_back(option_text(part, key));
      }
      return fmt::format("{}", fmt::join(parts, ","));
    }
    fail(node, fmt::format("{} is neither a number, a text, true or false, nor a list", key),
         "give one of these");
  }

  // Puts the place in front of errors that do not know it.
  template <class Action>
  decltype(auto) guarded(const toml::node& node, Action action) const {
    try {
      return action();
    } catch (const Error& error) {
      const std::string where = place(node.source());
      if (error.what_failed().starts_with(origin_)) throw;
      throw Error(where + ": " + error.what_failed(), error.remedy());
    }
  }

  void read_suite(const toml::table& root, Preset& preset) const {
    const toml::node& node = *root.get("run");
    const toml::array* runs = node.as_array();
    if (runs == nullptr || runs->empty()) {
      fail(node, "run is not a list of tables", "write [[run]] before each");
    }
    for (const toml::node& run : *runs) {
      const toml::table* table = run.as_table();
      if (table == nullptr) fail(run, "run is not a table", "write [[run]] before each");
      check_keys(*table, {"scenario", "sinks", "set"});
      preset.runs.push_back(read_run(*table));
      if (preset.runs.back().sinks.empty()) {
        fail(run, "a run of a suite names no sinks", "add sinks = [\"…\"]");
      }
    }
  }

  PresetRun read_run(const toml::table& table) const {
    const toml::node* name = table.get("scenario");
    if (name == nullptr) fail(table, "no scenario is named", "add scenario = \"steady\"");
    const Scenario& scenario = guarded(
        *name, [&]() -> const Scenario& { return find_scenario(text_of(*name, "scenario")); });
    PresetRun run{
        &scenario, Options(scenario.options(), fmt::format("scenario '{}'", scenario.name())), {}};
    if (const toml::node* sinks = table.get("sinks")) run.sinks = read_sinks(*sinks);
    if (const toml::node* set = table.get("set")) read_settings(*set, run.options);
    return run;
  }

  std::vector<std::string> read_sinks(const toml::node& node) const {
    const toml::array* list = node.as_array();
    if (list == nullptr) fail(node, "sinks is not a list", "write sinks = [\"null\", \"file\"]");
    std::vector<std::string> sinks;
    for (const toml::node& entry : *list) {
      sinks.push_back(text_of(entry, "a sink"));
      guarded(entry, [&] { return parse_sink_choice(sinks.back()); });
    }
    return sinks;
  }

  void read_settings(const toml::node& node, Options& options) const {
    const toml::table* table = node.as_table();
    if (table == nullptr) fail(node, "set is not a table", "write [set] with one option a line");
    for (const auto& setting : *table) {
      const std::string_view key = setting.first.str();
      const toml::node& entry = setting.second;
      guarded(entry, [&] {
        options.set(key, option_text(entry, key));
        return 0;
      });
    }
  }

  std::string origin_;
};

}  // namespace

Preset parse_preset(std::string_view text, const std::string& origin) {
  return PresetReader(origin).read(text);
}

Preset load_preset(const std::filesystem::path& file) {
  std::error_code failed;
  const std::uintmax_t size_bytes = std::filesystem::file_size(file, failed);
  std::ifstream input(file, std::ios::binary);
  if (failed || !input) {
    throw Error(fmt::format("cannot read '{}'", file.string()),
                "name an existing preset; 'tailgate scenarios' lists those that are installed");
  }
  if (size_bytes > kMaxFileBytes) {
    throw Error(fmt::format("'{}' has {} bytes", file.string(), size_bytes),
                fmt::format("a preset has at most {}", kMaxFileBytes));
  }
  const std::string text((std::istreambuf_iterator<char>(input)), std::istreambuf_iterator<char>());
  return parse_preset(text, file.string());
}

std::vector<std::filesystem::path> preset_files(const std::vector<std::filesystem::path>& folders) {
  std::vector<std::filesystem::path> files;
  for (const std::filesystem::path& folder : folders) {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
      if (entry.path().extension() == ".toml") files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

Preset find_preset(const std::string& name, const std::vector<std::filesystem::path>& folders) {
  std::vector<std::string> known;
  for (const Scenario* scenario : all_scenarios()) {
    if (scenario->name() == name) {
      return {
          .name = "",
          .description = scenario->description(),
          .suite = false,
          .runs = {
              {scenario, Options(scenario->options(), fmt::format("scenario '{}'", name)), {}}}};
    }
    known.push_back(scenario->name());
  }
  for (const std::filesystem::path& file : preset_files(folders)) {
    if (file.stem() == name) return load_preset(file);
    known.push_back(file.stem().string());
  }
  if (name.ends_with(".toml")) return load_preset(name);
  const std::string near = nearest_name(name, known);
  throw Error(fmt::format("there is no scenario, preset or suite '{}'", name),
              fmt::format("{}there are: {}; or give the path of a .toml file",
                          near.empty() ? "" : fmt::format("did you mean '{}'? ", near),
                          fmt::join(known, ", ")));
}

}  // namespace tailgate
