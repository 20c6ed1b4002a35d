#include "providers/testing/sinks.h"

#include <catch2/catch.hpp>

#include <set>

namespace tailgate {
namespace {

using Catch::Matchers::Contains;

TEST_CASE("sinks have names of their own, and null comes first") {
  std::set<std::string> names;
  for (const auto& sink : test_sinks().all()) CHECK(names.insert(sink->name()).second);
  CHECK(test_sinks().all().front()->name() == "null");
}

TEST_CASE("an unknown sink is answered with the nearest name and all of them") {
  CHECK_THROWS_WITH(test_sinks().find("fil"), Contains("no sink 'fil'") &&
                                                  Contains("did you mean 'file'?") &&
                                                  Contains("null, "));
  CHECK_THROWS_WITH(test_sinks().find(""), Contains("no sink ''"));
}

TEST_CASE("a choice carries options after colons") {
  const SinkChoice choice = sink_choice("file:mode=mmap:sync_every=1k");
  CHECK(choice.type->name() == "file");
  CHECK(choice.options.text("mode") == "mmap");
  CHECK(choice.options.integer("sync_every") == 1000);
  CHECK(choice.options.given("mode"));
  CHECK_FALSE(choice.options.given("dir"));
  CHECK(choice.text == "file:mode=mmap:sync_every=1k");
}

TEST_CASE("a drive's colon is part of its path") {
  const SinkChoice choice = sink_choice("file:dir=C:\\logs:mode=mmap");
  CHECK(choice.options.text("dir") == "C:\\logs");
  CHECK(choice.options.text("mode") == "mmap");
  CHECK(sink_choice("file:dir=c:/logs").options.text("dir") == "c:/logs");
}

TEST_CASE("a malformed choice says what is wrong with it") {
  CHECK_THROWS_WITH(sink_choice("file:mmap"), Contains("'mmap'") && Contains("name=value"));
  CHECK_THROWS_WITH(sink_choice("file:mode=mapped"),
                    Contains("mode = 'mapped'") && Contains("stdio"));
  CHECK_THROWS_WITH(sink_choice("file:mod=mmap"),
                    Contains("no option 'mod'") && Contains("did you mean 'mode'?"));
  CHECK_THROWS_WITH(sink_choice("null:mode=x"), Contains("sink 'null'"));
}

TEST_CASE("a list is separated by commas and names nothing twice alike") {
  const std::vector<SinkChoice> choices =
      test_sinks().choices("null,file:mode=mmap,file:mode=stdio");
  REQUIRE(choices.size() == 3);
  CHECK(choices[1].options.text("mode") == "mmap");
  CHECK(choices[2].options.text("mode") == "stdio");
  CHECK_THROWS_WITH(test_sinks().choices("null,null"), Contains("listed twice"));
  CHECK_THROWS_AS(test_sinks().choices(""), Error);
  CHECK_THROWS_AS(test_sinks().choices("null,"), Error);
}

}  // namespace
}  // namespace tailgate
