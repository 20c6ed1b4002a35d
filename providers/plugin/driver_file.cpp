#include "providers/plugin/driver_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <limits>
#include <optional>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/toml_reader.h"
#include "providers/plugin/library.h"

namespace tailgate::plugin_detail {
namespace {

constexpr std::size_t kMaxArguments = 100;
constexpr std::size_t kMaxArgumentBytes = 4096;

using Values = std::vector<std::pair<std::string, std::uint32_t>>;

const Values& ability_values() {
  static const Values values = {
      {"live_read", TAILGATE_LIVE_READ},          {"accounts_losses", TAILGATE_ACCOUNTS_LOSSES},
      {"asynchronous", TAILGATE_ASYNCHRONOUS},    {"deferred_work", TAILGATE_DEFERRED_WORK},
      {"may_refuse", TAILGATE_MAY_REFUSE},        {"single_threaded", TAILGATE_SINGLE_THREADED},
      {"text_events", TAILGATE_TEXT_EVENTS},      {"survives_kill", TAILGATE_SURVIVES_KILL},
      {"survives_crash", TAILGATE_SURVIVES_CRASH}};
  return values;
}

const Values& read_back_values() {
  static const Values values = {{"nothing", TAILGATE_READ_NOTHING},
                                {"lines", TAILGATE_READ_LINES},
                                {"stream", TAILGATE_READ_STREAM}};
  return values;
}

const Values& type_values() {
  static const Values values = {{"integer", TAILGATE_INTEGER},
                                {"real", TAILGATE_REAL},
                                {"boolean", TAILGATE_BOOLEAN},
                                {"choice", TAILGATE_CHOICE},
                                {"text", TAILGATE_TEXT}};
  return values;
}

std::uint32_t value_at(const TomlNode& node, const std::string& what, const Values& values) {
  const std::string word = node.text(what);
  const auto found = std::find_if(values.begin(), values.end(),
                                  [&](const auto& value) { return value.first == word; });
  if (found != values.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& [name, value] : values) known.push_back(name);
  node.refuse_name(fmt::format("{} '{}' is not known", what, word), word, known);
}

std::vector<std::string> texts_at(const TomlNode& node, const std::string& what) {
  if (!node.is_list()) node.fail(what + " is not a list", R"(write it as ["…", "…"])");
  std::vector<std::string> texts;
  for (const TomlNode& entry : node.entries()) texts.push_back(entry.text("an entry of " + what));
  return texts;
}

std::vector<std::string> command_at(const TomlNode& node) {
  std::vector<std::string> command = texts_at(node, "command");
  if (command.empty() || command.front().empty()) {
    node.fail("command names no program", R"(write it as ["python3", "mylog.py"])");
  }
  for (const std::string& argument : command) {
    if (argument.size() > kMaxArgumentBytes || argument.find('\0') != std::string::npos ||
        command.size() > kMaxArguments) {
      node.fail(fmt::format("command has over {} arguments, or one with over {} bytes or with a 0",
                            kMaxArguments, kMaxArgumentBytes),
                "put them into the program, or into a file that it reads");
    }
  }
  return command;
}

// A plugin's table whose texts this object owns.
class OwnedTable {
 public:
  explicit OwnedTable(const TomlNode& root) {
    table_.magic = TAILGATE_SINK_MAGIC;
    table_.version = TAILGATE_SINK_VERSION;
    table_.name = keep(root.required("name", "the sink's name in results").text("name"));
    table_.description =
        keep(root.required("description", "what it is, one line").text("description"));
    if (const TomlNode* library = root.find("library")) {
      table_.library = keep(library->text("library"));
    }
    table_.abilities.read_back =
        value_at(root.required("read_back", "how the events come back: lines, stream or nothing"),
                 "read_back", read_back_values());
    if (const TomlNode* abilities = root.find("abilities")) set_abilities(*abilities);
    set_options(root);
    if (const TomlNode* causes = root.find("refusal_causes")) {
      keep_all(texts_at(*causes, "refusal_causes"), refusal_causes_);
    } else {
      keep_all({"closed"}, refusal_causes_);
    }
    table_.refusal_causes = refusal_causes_.data();
  }
  OwnedTable(const OwnedTable&) = delete;
  OwnedTable& operator=(const OwnedTable&) = delete;

  const tailgate_sink& get() const { return table_; }

 private:
  // A text with a 0 in it would end there, unnoticed.
  const char* keep(std::string text) {
    std::replace(text.begin(), text.end(), '\0', '\1');
    return texts_.emplace_back(std::move(text)).c_str();
  }

  void keep_all(const std::vector<std::string>& texts, std::vector<const char*>& list) {
    for (const std::string& text : texts) list.push_back(keep(text));
    list.push_back(nullptr);
  }

  void set_abilities(const TomlNode& node) {
    if (!node.is_list()) node.fail("abilities is not a list", R"(write it as ["text_events"])");
    for (const TomlNode& entry : node.entries()) {
      table_.abilities.flags |= value_at(entry, "an ability", ability_values());
    }
  }

  void set_options(const TomlNode& root) {
    for (const TomlNode* node : root.tables_at("option")) {
      node->check_keys({"name", "type", "default", "help", "min", "max", "choices"});
      tailgate_option option{};
      option.name = keep(node->required("name", "what a user writes").text("name"));
      option.type = value_at(node->required("type", "integer, real, boolean, choice or text"),
                             "type", type_values());
      const TomlNode& given = node->required("default", "the value when a user gives none");
      const std::optional<std::string> value = given.option_text();
      if (!value) given.fail("default is not a value", "give a text, a number, true or false");
      option.default_value = keep(*value);
      option.help = keep(node->required("help", "what it does, one line").text("help"));
      constexpr double kLimit = std::numeric_limits<double>::max();
      if (const TomlNode* least = node->find("min")) {
        option.min = least->number("min", -kLimit, kLimit);
        option.max = kLimit;
      }
      if (const TomlNode* most = node->find("max")) {
        if (node->find("min") == nullptr) option.min = -kLimit;
        option.max = most->number("max", -kLimit, kLimit);
      }
      if (const TomlNode* choices = node->find("choices")) {
        keep_all(texts_at(*choices, "choices"), choices_.emplace_back());
        option.choices = choices_.back().data();
      }
      options_.push_back(option);
    }
    options_.emplace_back();
    table_.options = options_.data();
  }

  tailgate_sink table_{};
  std::deque<std::string> texts_;
  std::vector<const char*> refusal_causes_;
  std::vector<tailgate_option> options_;
  std::deque<std::vector<const char*>> choices_;
};

// A text for results: one line.
std::string line_at(const TomlNode& node, const char* name) {
  const std::string text = node.text(name);
  constexpr std::size_t kMaxBytes = 200;
  const bool printable =
      std::none_of(text.begin(), text.end(), [](char c) { return c >= 0 && c < ' '; });
  if (text.empty() || text.size() > kMaxBytes || !printable) {
    node.fail(fmt::format("{} has no or over {} bytes, or a control character", name, kMaxBytes),
              "write one short line");
  }
  return text;
}

}  // namespace

DriverFile parse_driver_file(std::string_view text, const std::string& origin) {
  const TomlNode root = parse_toml(text, origin);
  root.check_keys({"name", "description", "language", "library", "note", "command", "read_back",
                   "abilities", "refusal_causes", "option"});
  const OwnedTable table(root);
  check_description(table.get(), fmt::format("the sink file '{}'", origin),
                    "see providers/plugin/README.md, 'Other languages'");
  DriverFile file;
  file.described = describe(table.get());
  file.abilities = table.get().abilities;
  file.language = line_at(root.required("language", "of the program, such as Java"), "language");
  if (const TomlNode* note = root.find("note")) file.note = line_at(*note, "note");
  file.command = command_at(root.required("command", R"(["python3", "mylog.py"])"));
  for (const char* const* cause = table.get().refusal_causes; *cause != nullptr; ++cause) {
    file.refusal_causes.emplace_back(*cause);
  }
  // Checks the defaults, too.
  const Options defaults(file.described.options, fmt::format("the sink file '{}'", origin));
  return file;
}

}  // namespace tailgate::plugin_detail
