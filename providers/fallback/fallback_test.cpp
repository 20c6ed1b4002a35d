#include "providers/fallback/fallback.h"

#include <catch2/catch.hpp>

#include "providers/test_trial.h"

namespace tailgate {
namespace {

using Catch::Contains;

std::string granted(TestTrial& trial, const std::string& name) {
  for (const auto& [granted, value] : trial.session().granted()) {
    if (granted == name) return value;
  }
  return "";
}

TEST_CASE("the first sink is used where it can be") {
  TestTrial trial("fallback:first=file:second=synthetic");
  trial.open();
  for (int i = 0; i < 100; ++i) CHECK(trial.emit().empty());
  trial.provider().close();
  trial.session().stop();
  CHECK(trial.read_back().sequences.size() == 100);
  CHECK(granted(trial, "used") == "file");
  CHECK(granted(trial, "first_failed").empty());
}

TEST_CASE("the second sink is used where the first is not there, and why is said") {
  // No machine has them all.
  const char* const missing =
      find_sink("etw").probe(parse_sink_choice("etw").options).available ? "lttng" : "etw";
  TestTrial trial(std::string("fallback:first=") + missing + ":second=file");
  trial.open();
  for (int i = 0; i < 100; ++i) CHECK(trial.emit().empty());
  trial.provider().close();
  trial.session().stop();
  CHECK(trial.read_back().sequences.size() == 100);
  CHECK(granted(trial, "used") == "file");
  CHECK_THAT(granted(trial, "first_failed"), Contains(missing));
}

TEST_CASE("a sink that does not exist, or is itself, is refused") {
  const auto probe = [](const std::string& text) {
    const SinkChoice choice = parse_sink_choice(text);
    return choice.type->probe(choice.options);
  };
  CHECK_THROWS_WITH(probe("fallback:first=fil"), Contains("did you mean 'file'?"));
  CHECK_THROWS_WITH(probe("fallback:second=fallback"), Contains("leads nowhere"));
  CHECK(probe("fallback:first=null:second=etw").available);
}

}  // namespace
}  // namespace tailgate
