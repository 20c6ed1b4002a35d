#include "harness/base/options.h"

#include <catch2/catch.hpp>

namespace tailgate {
namespace {

using Catch::Matchers::Contains;

OptionTable table() {
  return {{"rate_hz", OptionType::real, "1000", "events a second", 0.001, 1e9},
          {"events", OptionType::integer, "5", "how many", 0, 1e12},
          {"offset", OptionType::integer, "-3", "any whole number"},
          {"sync", OptionType::boolean, "off", "whether"},
          {"mode", OptionType::choice, "write", "how", 0, 0, {"write", "writev", "mmap"}},
          {"dir", OptionType::text, "", "where"}};
}

Options options() {
  return Options(table(), "sink 'test'");
}

TEST_CASE("an option that was not set has its default") {
  const Options set = options();
  CHECK(set.real("rate_hz") == 1000);
  CHECK(set.integer("events") == 5);
  CHECK(set.integer("offset") == -3);
  CHECK_FALSE(set.boolean("sync"));
  CHECK(set.text("mode") == "write");
  CHECK(set.text("dir").empty());
  CHECK_FALSE(set.given("events"));
}

TEST_CASE("numbers accept separators and suffixes, decimal and binary") {
  Options set = options();
  const auto integer = [&](const char* text) {
    set.set("events", text);
    return set.integer("events");
  };
  CHECK(integer("10_000") == 10000);
  CHECK(integer("1e3") == 1000);
  CHECK(integer("2k") == 2000);
  CHECK(integer("2Ki") == 2048);
  CHECK(integer("1.5M") == 1500000);
  CHECK(integer("3Mi") == 3 * 1024 * 1024);
  CHECK(integer("1G") == 1000000000);
  CHECK(integer("1Gi") == 1073741824);
  set.set("rate_hz", "0.25k");
  CHECK(set.real("rate_hz") == 250);
  CHECK(set.given("events"));
}

TEST_CASE("a number of the wrong type or range is refused, and the error says what is valid") {
  for (const char* text : {"", "k", "ten", "1.5", "-1", "1e13", "nan", "inf", "1k5", "0x10", " 1",
                           "1 ", "--1", "1e400"}) {
    INFO("'" << text << "'");
    Options set = options();
    CHECK_THROWS_WITH(set.set("events", text),
                      Contains("sink 'test': events = '") && Contains("a whole number from 0 to"));
    CHECK(set.integer("events") == 5);
    CHECK_FALSE(set.given("events"));
  }
  Options set = options();
  CHECK_THROWS_WITH(set.set("rate_hz", "0"), Contains("a number from 0.001 to"));
  CHECK_THROWS_WITH(set.set("offset", "1e300"), Contains("a whole number"));
}

TEST_CASE("booleans and choices accept only their words") {
  Options set = options();
  for (const char* text : {"true", "yes", "on", "1"}) {
    set.set("sync", text);
    CHECK(set.boolean("sync"));
  }
  for (const char* text : {"false", "no", "off", "0"}) {
    set.set("sync", text);
    CHECK_FALSE(set.boolean("sync"));
  }
  CHECK_THROWS_WITH(set.set("sync", "maybe"), Contains("'maybe'") && Contains("true or false"));
  set.set("mode", "mmap");
  CHECK(set.text("mode") == "mmap");
  CHECK_THROWS_WITH(set.set("mode", "Mmap"), Contains("one of: write, writev, mmap"));
}

TEST_CASE("an unknown name is answered with the nearest one") {
  Options set = options();
  CHECK_THROWS_WITH(set.set("rate_khz", "1"), Contains("sink 'test' has no option 'rate_khz'") &&
                                                  Contains("did you mean 'rate_hz'?") &&
                                                  Contains("dir"));
  CHECK_THROWS_WITH(set.set("zzzzzz", "1"), Contains("valid options: ") && !Contains("did you"));
}

TEST_CASE("reading an option that the table does not declare is a bug, not a user error") {
  const Options set = options();
  CHECK_THROWS_AS(set.integer("nothing"), std::logic_error);
  CHECK_THROWS_AS(set.integer("rate_hz"), std::logic_error);
  CHECK_THROWS_AS(set.text("events"), std::logic_error);
}

TEST_CASE("an invalid default is detected when the table is first used") {
  CHECK_THROWS_AS(Options({{"n", OptionType::integer, "x", "help"}}, "owner"), Error);
  CHECK_THROWS_AS(Options({{"c", OptionType::choice, "x", "help", 0, 0, {"y"}}}, "owner"), Error);
}

TEST_CASE("resolved lists every option in the table's order, as written") {
  Options set = options();
  set.set("events", "10_000");
  const auto pairs = set.resolved();
  REQUIRE(pairs.size() == 6);
  CHECK(pairs[0] == std::pair<std::string, std::string>("rate_hz", "1000"));
  CHECK(pairs[1] == std::pair<std::string, std::string>("events", "10_000"));
  CHECK(pairs[5].first == "dir");
}

TEST_CASE("the nearest name is close enough, or there is none") {
  const std::vector<std::string> names = {"steady", "burst", "sweep", "max"};
  CHECK(nearest_name("stedy", names) == "steady");
  CHECK(nearest_name("brust", names) == "burst");
  CHECK(nearest_name("max", names) == "max");
  CHECK(nearest_name("completely", names).empty());
  CHECK(nearest_name("x", {}).empty());
  CHECK(choice_remedy("brust", {"burst", "max"}) ==
        "did you mean 'burst'? give one of: burst, max");
  CHECK(choice_remedy("completely", {"burst", "max"}) == "give one of: burst, max");
}

}  // namespace
}  // namespace tailgate
