#include "providers/plugin/library.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "harness/base/error.h"
#include "harness/sink/sink.h"

namespace tailgate::plugin_detail {
namespace {

constexpr std::size_t kMaxText = 200;
constexpr std::size_t kMaxOptions = 64;
constexpr std::size_t kMaxChoices = 64;

// Finds the faults of one table. All errors name the subject: what the table belongs to.
class TableCheck {
 public:
  TableCheck(std::string subject, const char* rules)
      : subject_(std::move(subject)), rules_(rules) {}
  explicit TableCheck(const std::string& library)
      : TableCheck(fmt::format("the plugin '{}'", library), "see tailgate/sink.h") {}

  [[noreturn]] void refuse(const std::string& what, const std::string& remedy) const {
    throw Error(fmt::format("{} {}", subject_, what), remedy);
  }

  void require(bool kept, const std::string& rule) const {
    if (!kept) refuse("does not keep the interface: " + rule, rules_);
  }

  void description(const tailgate_sink& sink) const {
    name(sink.name, "the name");
    text(sink.description, "the description");
    if (sink.library != nullptr) text(sink.library, "library");
    options(sink.options);
    refusals(sink.refusal_causes);
  }

  // A text that ends within the length, and is one line.
  void text(const char* text, const char* what) const {
    require(text != nullptr, fmt::format("{} is null", what));
    const std::size_t size = strnlen(text, kMaxText + 1);
    require(size > 0 && size <= kMaxText,
            fmt::format("{} has no or over {} bytes", what, kMaxText));
    const std::string_view line(text, size);
    require(std::none_of(line.begin(), line.end(), [](char c) { return c >= 0 && c < ' '; }),
            fmt::format("{} has a control character", what));
  }

  void name(const char* given, const char* what) const {
    text(given, what);
    require(std::string_view(given).find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") ==
                std::string_view::npos,
            fmt::format("{} '{}' has other characters than small letters, digits and '_'", what,
                        given));
  }

  void option(const tailgate_option& option) const {
    name(option.name, "an option's name");
    const std::string label = fmt::format("option '{}'", option.name);
    text(option.help, (label + "'s help").c_str());
    require(option.default_value != nullptr, label + " has no default");
    require(option.type <= TAILGATE_TEXT, label + " has an unknown type");
    require((option.choices != nullptr) == (option.type == TAILGATE_CHOICE),
            label + " has choices without being one, or the other way round");
    if (option.choices == nullptr) return;
    std::size_t count = 0;
    for (; count < kMaxChoices && option.choices[count] != nullptr; ++count) {
      text(option.choices[count], "a choice");
    }
    require(count > 0 && count < kMaxChoices, label + " has no choices, or too many");
  }

  void options(const tailgate_option* options) const {
    if (options == nullptr) return;
    std::map<std::string_view, int> names;
    for (std::size_t i = 0; options[i].name != nullptr; ++i) {
      require(i < kMaxOptions, fmt::format("it has over {} options", kMaxOptions));
      option(options[i]);
      require(++names[options[i].name] == 1,
              fmt::format("the option '{}' is there twice", options[i].name));
    }
  }

  void refusals(const char* const* causes) const {
    require(causes != nullptr && causes[0] != nullptr, "refusal_causes is empty");
    std::size_t count = 0;
    for (; causes[count] != nullptr; ++count) {
      require(count < Provider::kMaxRefusalCauses,
              fmt::format("refusal_causes has over {} texts", Provider::kMaxRefusalCauses));
      text(causes[count], "a refusal's cause");
    }
  }

  void functions(const tailgate_sink& sink) const {
    require(sink.provider_open != nullptr && sink.emit != nullptr &&
                sink.provider_close != nullptr && sink.provider_free != nullptr,
            "provider_open, emit, provider_close or provider_free is null");
    require(sink.session_start == nullptr || sink.session_stop != nullptr,
            "session_start is given and session_stop is null");
    require(sink.consumer_open == nullptr ||
                (sink.consumer_poll != nullptr && sink.consumer_free != nullptr),
            "consumer_open is given, and consumer_poll or consumer_free is null");
    abilities(sink, sink.abilities);
  }

  void abilities(const tailgate_sink& sink, const tailgate_abilities& abilities) const {
    require(abilities.read_back <= TAILGATE_READ_CONSUMER, "read_back has an unknown value");
    require(abilities.read_back != TAILGATE_READ_CONSUMER || sink.consumer_open != nullptr,
            "read_back is TAILGATE_READ_CONSUMER and consumer_open is null");
    require(
        abilities.read_back != TAILGATE_READ_LINES || (abilities.flags & TAILGATE_TEXT_EVENTS) != 0,
        "read_back is TAILGATE_READ_LINES without TAILGATE_TEXT_EVENTS");
  }

 private:
  std::string subject_;
  const char* rules_;
};

}  // namespace

tailgate_sink checked_table(const tailgate_sink* table, const std::string& name) {
  const TableCheck check(name);
  check.require(table != nullptr, "tailgate_get_sink returned null");
  if (table->magic != TAILGATE_SINK_MAGIC) {
    check.refuse(fmt::format("is no plugin: its table begins with {:#010x}", table->magic),
                 "return a table whose magic is TAILGATE_SINK_MAGIC");
  }
  if (table->version != TAILGATE_SINK_VERSION) {
    check.refuse(
        fmt::format("is of version {} of the interface, and this program knows version {} alone",
                    table->version, TAILGATE_SINK_VERSION),
        table->version > TAILGATE_SINK_VERSION ? "use a newer tailgate"
                                               : "build the plugin with this program's sink.h");
  }
  constexpr std::size_t kLeast = offsetof(tailgate_sink, consumer_open);
  check.require(table->struct_bytes >= kLeast,
                fmt::format("struct_bytes is {}, less than {}", table->struct_bytes, kLeast));
  tailgate_sink known{};
  std::memcpy(&known, table, std::min<std::size_t>(table->struct_bytes, sizeof known));
  check.description(known);
  check.functions(known);
  return known;
}

void check_description(const tailgate_sink& table, const std::string& subject, const char* rules) {
  const TableCheck check(subject, rules);
  check.description(table);
  check.abilities(table, table.abilities);
}

void check_abilities(const tailgate_sink& table, const tailgate_abilities& abilities) {
  const std::string name = table.name;
  TableCheck(name).abilities(table, abilities);
}

const tailgate_sink& load_table(const std::filesystem::path& library) {
  static std::map<std::filesystem::path, tailgate_sink> loaded;
  const auto found = loaded.find(library);
  if (found != loaded.end()) return found->second;
  const std::string name = library.string();
  return loaded.emplace(library, checked_table(find_get_sink(library)(), name)).first->second;
}

}  // namespace tailgate::plugin_detail
