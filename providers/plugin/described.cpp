#include "providers/plugin/described.h"

#include <fmt/format.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <nlohmann/json.hpp>

#include "harness/base/error.h"
#include "providers/plugin/library.h"

namespace tailgate::plugin_detail {
namespace {

OptionSpec spec_of(const tailgate_option& option) {
  OptionSpec spec{.name = option.name,
                  .type = static_cast<OptionType>(option.type),
                  .default_value = option.default_value,
                  .help = option.help};
  if (option.min != 0 || option.max != 0) {
    spec.min = option.min;
    spec.max = option.max;
  }
  for (const char* const* choice = option.choices; choice != nullptr && *choice != nullptr;
       ++choice) {
    spec.choices.emplace_back(*choice);
  }
  return spec;
}

nlohmann::json json_of(const OptionSpec& spec) {
  return {{"name", spec.name},
          {"type", static_cast<int>(spec.type)},
          {"default", spec.default_value},
          {"help", spec.help},
          {"min", spec.min},
          {"max", spec.max},
          {"choices", spec.choices}};
}

OptionSpec spec_from(const nlohmann::json& json) {
  return {.name = json.at("name"),
          .type = static_cast<OptionType>(json.at("type").get<int>()),
          .default_value = json.at("default"),
          .help = json.at("help"),
          .min = json.at("min"),
          .max = json.at("max"),
          .choices = json.at("choices")};
}

std::string value_text(const Options& options, const OptionSpec& spec) {
  switch (spec.type) {
    case OptionType::integer:
      return std::to_string(options.integer(spec.name));
    case OptionType::real:
      return fmt::format("{}", options.real(spec.name));
    case OptionType::boolean:
      return options.boolean(spec.name) ? "true" : "false";
    case OptionType::choice:
    case OptionType::text:
      return options.text(spec.name);
  }
  throw std::logic_error("unknown type of option");
}

}  // namespace

static_assert(static_cast<int>(OptionType::integer) == TAILGATE_INTEGER);
static_assert(static_cast<int>(OptionType::real) == TAILGATE_REAL);
static_assert(static_cast<int>(OptionType::boolean) == TAILGATE_BOOLEAN);
static_assert(static_cast<int>(OptionType::choice) == TAILGATE_CHOICE);
static_assert(static_cast<int>(OptionType::text) == TAILGATE_TEXT);

Described describe(const tailgate_sink& table) {
  Described described{.name = table.name,
                      .description = table.description,
                      .library = table.library != nullptr ? table.library : "",
                      .options = {},
                      .has_session = table.session_start != nullptr};
  for (const tailgate_option* option = table.options; option != nullptr && option->name != nullptr;
       ++option) {
    described.options.push_back(spec_of(*option));
  }
  return described;
}

nlohmann::json to_json(const Described& described) {
  nlohmann::json options = nlohmann::json::array();
  for (const OptionSpec& spec : described.options) options.push_back(json_of(spec));
  return {{"name", described.name},
          {"description", described.description},
          {"library", described.library},
          {"options", options},
          {"has_session", described.has_session}};
}

Described described_from(const nlohmann::json& json) {
  Described described{.name = json.at("name"),
                      .description = json.at("description"),
                      .library = json.at("library"),
                      .options = {},
                      .has_session = json.at("has_session")};
  for (const nlohmann::json& option : json.at("options")) {
    described.options.push_back(spec_from(option));
  }
  return described;
}

Capabilities capabilities_of(const tailgate_abilities& abilities) {
  const auto has = [&](std::uint32_t flag) { return (abilities.flags & flag) != 0; };
  return {.read_back = abilities.read_back != TAILGATE_READ_NOTHING,
          .live_read = abilities.read_back != TAILGATE_READ_NOTHING && has(TAILGATE_LIVE_READ),
          .accounts_losses = has(TAILGATE_ACCOUNTS_LOSSES),
          .asynchronous = has(TAILGATE_ASYNCHRONOUS),
          .survives = has(TAILGATE_SURVIVES_CRASH)  ? Survives::crash
                      : has(TAILGATE_SURVIVES_KILL) ? Survives::kill
                                                    : Survives::nothing,
          .deferred_work = has(TAILGATE_DEFERRED_WORK),
          .may_refuse = has(TAILGATE_MAY_REFUSE),
          .multi_threaded = !has(TAILGATE_SINGLE_THREADED),
          .text_events = has(TAILGATE_TEXT_EVENTS)};
}

std::filesystem::path log_path(const TrialContext& context) {
  return context.directory / "plugin.log";
}

void create_log(const TrialContext& context) {
  const std::filesystem::path log = log_path(context);
  if (std::ofstream(log, std::ios::trunc)) return;
  throw system_error("open", log.string(), errno,
                     "choose a trial directory that can be written to");
}

std::string checksum_of(const std::vector<std::filesystem::path>& files) {
  uLong checksum = crc32(0, nullptr, 0);
  for (const std::filesystem::path& path : files) {
    std::ifstream file(path, std::ios::binary);
    std::array<char, 1 << 16> block;
    while (file) {
      file.read(block.data(), block.size());
      checksum = crc32(checksum, reinterpret_cast<const Bytef*>(block.data()),
                       static_cast<uInt>(file.gcount()));
    }
  }
  return fmt::format("crc32 {:08x}", checksum);
}

std::vector<std::pair<std::string, std::string>> settings_of(const Options& options) {
  std::vector<std::pair<std::string, std::string>> settings;
  for (const OptionSpec& spec : options.table()) {
    settings.emplace_back(spec.name, value_text(options, spec));
  }
  return settings;
}

ContextTexts::ContextTexts(const TrialContext& context)
    : texts_(settings_of(context.options)),
      directory_(context.directory.string()),
      log_path_(log_path(context).string()) {
  for (const auto& [name, value] : texts_) settings_.push_back({name.c_str(), value.c_str()});
  context_ = {.struct_bytes = sizeof context_,
              .threads = context.threads,
              .settings = settings_.data(),
              .setting_count = settings_.size(),
              .directory = directory_.c_str(),
              .log_path = log_path_.c_str(),
              .max_event_bytes = context.max_event_bytes,
              .expected_bytes = context.expected_bytes};
}

tailgate_abilities abilities_with(const tailgate_sink& table, const TrialContext& context) {
  if (table.abilities_with == nullptr) return table.abilities;
  const ContextTexts texts(context);
  const tailgate_abilities abilities = table.abilities_with(&texts.get());
  check_abilities(table, abilities);
  return abilities;
}

}  // namespace tailgate::plugin_detail
