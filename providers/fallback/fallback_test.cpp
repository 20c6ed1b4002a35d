#include "harness/sink/sink.h"

#include <catch2/catch.hpp>

#include "providers/testing/sinks.h"
#include "providers/testing/test_trial.h"

namespace tailgate {
namespace {

using Catch::Contains;

std::string granted(TestTrial& trial, const std::string& name) {
  for (const auto& [granted, value] : trial.session().granted()) {
    if (granted == name) return value;
  }
  return "";
}

TEST_CASE("the first sink is used when it can be started") {
  TestTrial trial("fallback:first=file:second=synthetic");
  trial.open();
  for (int i = 0; i < 100; ++i) CHECK(trial.emit().empty());
  trial.provider().close();
  trial.session().stop();
  CHECK(trial.read_back().sequences.size() == 100);
  CHECK(granted(trial, "used") == "file");
  CHECK(granted(trial, "first_failed").empty());
}

TEST_CASE("the second sink is used when the first is missing, and the reason is reported") {
  // No machine has both.
  const char* const missing =
      test_sinks().find("etw")->probe(sink_choice("etw").options).available ? "lttng" : "etw";
  TestTrial trial(std::string("fallback:first=") + missing + ":second=file");
  trial.open();
  for (int i = 0; i < 100; ++i) CHECK(trial.emit().empty());
  trial.provider().close();
  trial.session().stop();
  CHECK(trial.read_back().sequences.size() == 100);
  CHECK(granted(trial, "used") == "file");
  CHECK_THAT(granted(trial, "first_failed"), Contains(missing));
}

TEST_CASE("an unknown sink and fallback itself are refused") {
  const auto probe = [](const std::string& text) {
    const SinkChoice choice = sink_choice(text);
    return choice.type->probe(choice.options);
  };
  CHECK_THROWS_WITH(probe("fallback:first=fil"), Contains("did you mean 'file'?"));
  CHECK_THROWS_WITH(probe("fallback:second=fallback"), Contains("names itself"));
  CHECK(probe("fallback:first=null:second=etw").available);
}

}  // namespace
}  // namespace tailgate
