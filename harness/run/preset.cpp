#include "harness/run/preset.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/base/enum_text.h"
#include "harness/base/error.h"
#include "harness/base/toml_reader.h"

namespace tailgate {
namespace {

// Runs an action; adds the node's file and line to an Error that does not have them.
template <class Action>
decltype(auto) placed(const TomlNode& node, Action action) {
  const std::string place = node.place();
  const std::string file = place.substr(0, place.rfind(':'));
  try {
    return action();
  } catch (const Error& error) {
    if (error.what_failed().starts_with(file)) throw;
    throw Error(place + ": " + error.what_failed(), error.remedy());
  }
}

// Returns a value as the text of an option; a list becomes "a,b,c".
std::string option_text(const TomlNode& node, const std::string& name) {
  if (const auto text = node.option_text()) return *text;
  if (!node.is_list()) {
    node.fail(fmt::format("{} is neither a number, a text, true or false, nor a list", name),
              "give one of these");
  }
  std::vector<std::string> parts;
  for (const TomlNode& part : node.entries()) {
    if (part.is_list()) part.fail(fmt::format("{} is a list of lists", name), "flatten it");
    parts.push_back(option_text(part, name));
  }
  return fmt::format("{}", fmt::join(parts, ","));
}

std::vector<std::string> read_sinks(const Catalog& catalog, const TomlNode& node) {
  if (!node.is_list()) node.fail("sinks is not a list", "write sinks = [\"null\", \"file\"]");
  std::vector<std::string> sinks;
  for (const TomlNode& entry : node.entries()) {
    sinks.push_back(entry.text("a sink"));
    placed(entry, [&] { return catalog.sinks.choice(sinks.back()); });
  }
  return sinks;
}

void read_settings(const TomlNode& node, Options& options) {
  if (!node.is_table()) node.fail("set is not a table", "write [set] with one option per line");
  for (const TomlNode& setting : node.entries()) {
    placed(setting, [&] {
      options.set(setting.key(), option_text(setting, setting.key()));
      return 0;
    });
  }
}

template <class Enum>
Enum read_word(const TomlNode& node, const std::string& name) {
  const std::string text = node.text(name);
  const std::optional<Enum> value = enum_value<Enum>(text);
  if (!value)
    node.fail(fmt::format("{} = '{}' is none of its values", name, text),
              choice_remedy(text, enum_choices<Enum>()));
  return *value;
}

TrialAction read_action(const TomlNode& table) {
  constexpr double kMaxS = 86400;
  table.check_keys({"at_s", "at_event", "spread_s", "do", "who", "for_s", "every_s", "by"});
  const TomlNode& what =
      table.required("do", "what is done: kill, stop, disable, rotate, fill, start, …");
  TrialAction action{.what = read_word<ActionKind>(what, "do")};
  if (is_of_session(action.what)) action.who = ActionTarget::session;
  if (const TomlNode* by = table.find("by")) {
    if (!is_switch(action.what)) by->fail("by is for disable and enable", "leave it out");
    action.by = read_word<SwitchWay>(*by, "by");
  }
  if (const TomlNode* who = table.find("who")) action.who = read_word<ActionTarget>(*who, "who");
  if (const TomlNode* at = table.find("at_s")) action.at_s = at->number("at_s", 0, kMaxS);
  if (const TomlNode* at = table.find("at_event")) {
    action.at_event = static_cast<std::uint64_t>(at->number("at_event", 1, 1e10));
  }
  const auto seconds = [&](const char* name) {
    const TomlNode* node = table.find(name);
    return node == nullptr ? 0.0 : node->number(name, 0, kMaxS);
  };
  action.spread_s = seconds("spread_s");
  action.for_s = seconds("for_s");
  action.every_s = seconds("every_s");
  return action;
}

// A scenario that acts by its own options is its own list of actions.
void read_actions(const TomlNode& table, PresetRun& run) {
  const std::vector<const TomlNode*> actions = table.tables_at("action");
  if (actions.empty()) return;
  if (!run.scenario->actions(run.options, 0).empty()) {
    actions.front()->fail(
        fmt::format("scenario '{}' acts by its own options", run.scenario->name()),
        fmt::format("set these, or use scenario = \"steady\" with judge = \"{}\"",
                    run.scenario->name()));
  }
  for (const TomlNode* action : actions) run.actions.push_back(read_action(*action));
}

const Scenario& read_judge(const Catalog& catalog, const TomlNode& node) {
  const Scenario& judge =
      placed(node, [&]() -> const Scenario& { return catalog.scenarios.find(node.text("judge")); });
  if (judge.judges()) return judge;
  std::vector<std::string> names;
  for (const auto& scenario : catalog.scenarios.all()) {
    if (scenario->judges()) names.push_back(scenario->name());
  }
  node.fail(fmt::format("scenario '{}' judges nothing", judge.name()),
            choice_remedy(judge.name(), names));
}

PresetRun read_run(const Catalog& catalog, const TomlNode& table) {
  const TomlNode* name = table.find("scenario");
  if (name == nullptr) table.fail("no scenario is named", "add scenario = \"steady\"");
  const Scenario& scenario = placed(
      *name, [&]() -> const Scenario& { return catalog.scenarios.find(name->text("scenario")); });
  PresetRun run{
      &scenario, Options(scenario.options(), fmt::format("scenario '{}'", scenario.name())), {}};
  if (const TomlNode* sinks = table.find("sinks")) run.sinks = read_sinks(catalog, *sinks);
  if (const TomlNode* set = table.find("set")) read_settings(*set, run.options);
  if (const TomlNode* judge = table.find("judge")) run.judge = &read_judge(catalog, *judge);
  read_actions(table, run);
  return run;
}

void read_suite(const Catalog& catalog, const TomlNode& root, Preset& preset) {
  const TomlNode& runs = *root.find("run");
  if (runs.entries().empty()) {
    runs.fail("run is not a list of tables", "write [[run]] before each");
  }
  for (const TomlNode* run : root.tables_at("run")) {
    run->check_keys({"scenario", "sinks", "set", "judge", "action"});
    preset.runs.push_back(read_run(catalog, *run));
    if (preset.runs.back().sinks.empty()) {
      run->fail("a run of a suite names no sinks", "add sinks = [\"…\"]");
    }
  }
}

}  // namespace

Preset parse_preset(const Catalog& catalog, std::string_view text, const std::string& origin) {
  const TomlNode root = parse_toml(text, origin);
  Preset preset;
  preset.name = std::filesystem::path(origin).stem().string();
  preset.suite = root.find("run") != nullptr;
  root.check_keys(preset.suite ? std::vector<std::string>{"description", "explain", "run"}
                               : std::vector<std::string>{"description", "scenario", "sinks", "set",
                                                          "judge", "action"});
  if (const TomlNode* description = root.find("description")) {
    preset.description = description->text("description");
  }
  if (const TomlNode* explain = root.find("explain")) preset.explain = explain->flag("explain");
  if (preset.suite) {
    read_suite(catalog, root, preset);
  } else {
    preset.runs.push_back(read_run(catalog, root));
  }
  return preset;
}

Preset load_preset(const Catalog& catalog, const std::filesystem::path& file) {
  return parse_preset(
      catalog,
      read_toml_file(
          file, "preset",
          "name an existing preset; 'tailgate scenarios' lists those that are installed"),
      file.string());
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

Preset find_preset(const Catalog& catalog, const std::string& name,
                   const std::vector<std::filesystem::path>& folders) {
  std::vector<std::string> known;
  for (const auto& scenario : catalog.scenarios.all()) {
    if (scenario->name() == name) {
      return {.name = "",
              .description = scenario->description(),
              .suite = false,
              .runs = {{scenario.get(),
                        Options(scenario->options(), fmt::format("scenario '{}'", name)),
                        {}}}};
    }
    known.push_back(scenario->name());
  }
  for (const std::filesystem::path& file : preset_files(folders)) {
    if (file.stem() == name) return load_preset(catalog, file);
    known.push_back(file.stem().string());
  }
  if (name.ends_with(".toml")) return load_preset(catalog, name);
  const std::string near = nearest_name(name, known);
  throw Error(fmt::format("there is no scenario, preset or suite '{}'", name),
              fmt::format("{}there are: {}; or give the path of a .toml file",
                          near.empty() ? "" : fmt::format("did you mean '{}'? ", near),
                          fmt::join(known, ", ")));
}

}  // namespace tailgate
