#include "providers/plugin/library.h"

#include <catch2/catch.hpp>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

#include "harness/base/error.h"
#include "providers/plugin/described.h"

namespace tailgate::plugin_detail {
namespace {

const char* const kCauses[] = {"closed", nullptr};
const char* const kTooManyCauses[] = {"1", "2", "3", "4", "5", "6", "7", "8", "9", nullptr};
const char* const kChoices[] = {"one", "two", nullptr};
const char* const kNoChoices[] = {nullptr};

// A table that keeps every rule.
tailgate_sink good() {
  tailgate_sink table{};
  table.magic = TAILGATE_SINK_MAGIC;
  table.version = TAILGATE_SINK_VERSION;
  table.struct_bytes = sizeof table;
  table.name = "good";
  table.description = "keeps every rule";
  table.refusal_causes = kCauses;
  table.provider_open = [](const tailgate_context*, void**, char*, std::size_t) { return 0; };
  table.emit = [](void*, std::uint32_t, const void*, std::size_t) { return std::uint8_t{0}; };
  table.provider_close = [](void*, char*, std::size_t) { return 0; };
  table.provider_free = [](void*) {};
  return table;
}

std::string refusal(const tailgate_sink& table) {
  try {
    checked_table(&table, "x.so");
    return "none";
  } catch (const Error& error) {
    CHECK_FALSE(error.remedy().empty());
    return error.what_failed();
  }
}

template <class Change>
std::string refusal_with(Change change) {
  tailgate_sink table = good();
  change(table);
  return refusal(table);
}

TEST_CASE("a plugin's table that keeps every rule is taken") {
  CHECK(refusal(good()) == "none");
}

TEST_CASE("a table that is not one, or of another version, is refused with a sentence") {
  CHECK_THROWS_WITH(checked_table(nullptr, "x.so"), Catch::Contains("returned null"));
  CHECK(refusal_with([](auto& t) { t.magic = 1; }) ==
        "the plugin 'x.so' is no plugin: its table begins with 0x00000001");
  CHECK(refusal_with([](auto& t) { t.version = 2; }) ==
        "the plugin 'x.so' is of version 2 of the interface, and this program knows version 1 "
        "alone");
  CHECK_THAT(refusal_with([](auto& t) { t.struct_bytes = 40; }),
             Catch::Contains("struct_bytes is 40"));
}

TEST_CASE("an older plugin's shorter table lacks its last fields, whatever lies behind it") {
  tailgate_sink table = good();
  table.struct_bytes = offsetof(tailgate_sink, consumer_open);
  table.consumer_open = [](const tailgate_context*, void**, char*, std::size_t) { return 0; };
  CHECK(checked_table(&table, "x.so").consumer_open == nullptr);
}

TEST_CASE("a newer plugin's longer table of the same version is taken") {
  CHECK(refusal_with([](auto& t) { t.struct_bytes += 800; }) == "none");
}

TEST_CASE("texts of a table are short lines, and names are words") {
  const std::string long_text(500, 'a');
  CHECK_THAT(refusal_with([&](auto& t) { t.description = long_text.c_str(); }),
             Catch::Contains("the description has no or over 200 bytes"));
  CHECK_THAT(refusal_with([](auto& t) { t.description = "a\nb"; }),
             Catch::Contains("control character"));
  CHECK_THAT(refusal_with([](auto& t) { t.name = "Name"; }), Catch::Contains("'Name'"));
  CHECK_THAT(refusal_with([](auto& t) { t.name = nullptr; }), Catch::Contains("is null"));
  CHECK_THAT(refusal_with([](auto& t) { t.library = ""; }), Catch::Contains("library"));
}

TEST_CASE("options of a table have types, defaults, and choices where they are choices") {
  static tailgate_option options[3] = {};
  const auto with = [&](const tailgate_option& first, const tailgate_option& second) {
    options[0] = first;
    options[1] = second;
    return refusal_with([](auto& t) { t.options = options; });
  };
  const tailgate_option whole = {"size_bytes", TAILGATE_INTEGER, "8", "size", 1, 9, nullptr};
  tailgate_option other = {"mode", TAILGATE_CHOICE, "one", "mode", 0, 0, kChoices};
  CHECK(with(whole, other) == "none");
  CHECK_THAT(with(whole, whole), Catch::Contains("'size_bytes' is there twice"));
  other.choices = kNoChoices;
  CHECK_THAT(with(whole, other), Catch::Contains("no choices"));
  other.choices = nullptr;
  CHECK_THAT(with(whole, other), Catch::Contains("has choices without being one"));
  other = whole;
  other.name = "other";
  other.type = 17;
  CHECK_THAT(with(whole, other), Catch::Contains("unknown type"));
  other.type = TAILGATE_TEXT;
  other.default_value = nullptr;
  CHECK_THAT(with(whole, other), Catch::Contains("no default"));
}

TEST_CASE("a table has the functions that its abilities need") {
  CHECK_THAT(refusal_with([](auto& t) { t.emit = nullptr; }), Catch::Contains("emit"));
  CHECK_THAT(refusal_with([](auto& t) { t.refusal_causes = kTooManyCauses; }),
             Catch::Contains("over 8"));
  CHECK_THAT(refusal_with([](auto& t) { t.abilities.read_back = TAILGATE_READ_CONSUMER; }),
             Catch::Contains("consumer_open is null"));
  CHECK_THAT(refusal_with([](auto& t) { t.abilities.read_back = TAILGATE_READ_LINES; }),
             Catch::Contains("without TAILGATE_TEXT_EVENTS"));
  CHECK_THAT(refusal_with([](auto& t) { t.abilities.read_back = 99; }),
             Catch::Contains("unknown value"));
  CHECK_THAT(refusal_with([](auto& t) {
               t.session_start = [](const tailgate_context*, void**, char*, std::size_t) {
                 return 0;
               };
             }),
             Catch::Contains("session_stop is null"));
}

TEST_CASE("what a process says of a plugin is read as it was written") {
  static const tailgate_option options[] = {
      {"size_bytes", TAILGATE_INTEGER, "8", "how large", 1, 9, nullptr},
      {"mode", TAILGATE_CHOICE, "one", "which way", 0, 0, kChoices},
      {}};
  tailgate_sink table = good();
  table.options = options;
  table.library = "good 1.2";
  const Described before = describe(table);
  const Described after = described_from(nlohmann::json::parse(to_json(before).dump()));
  CHECK(after.name == "good");
  CHECK(after.library == "good 1.2");
  CHECK_FALSE(after.has_session);
  REQUIRE(after.options.size() == 2);
  CHECK(after.options[0].min == 1);
  CHECK(after.options[0].max == 9);
  CHECK(after.options[1].choices == std::vector<std::string>{"one", "two"});
  // Without limits any number is taken.
  CHECK(after.options[1].max == OptionSpec{}.max);
}

TEST_CASE("a plugin gets its options as plain numbers and words") {
  OptionTable table = {{"size_bytes", OptionType::integer, "8k", "size"},
                       {"share", OptionType::real, "0.25", "share"},
                       {"sync", OptionType::boolean, "yes", "sync"},
                       {"where", OptionType::text, "a b", "where"}};
  Options options(table, "test");
  const ContextTexts texts({.options = options, .directory = "/d", .threads = 3});
  const tailgate_context& context = texts.get();
  REQUIRE(context.setting_count == 4);
  CHECK(context.settings[0].value == std::string("8000"));
  CHECK(context.settings[1].value == std::string("0.25"));
  CHECK(context.settings[2].value == std::string("true"));
  CHECK(context.settings[3].value == std::string("a b"));
  CHECK(context.threads == 3);
  CHECK(std::filesystem::path(context.log_path).parent_path() == "/d");
}

}  // namespace
}  // namespace tailgate::plugin_detail
