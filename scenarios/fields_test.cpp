// What the scenario fields answer, of calls whose cost by field is known.
#include <catch2/catch.hpp>

#include <string>

#include "scenarios/testing/run_scenario.h"

namespace tailgate {
namespace {

using Catch::Contains;

TEST_CASE("fields: every event comes back with its fields, and numbers with decimals cost most",
          "[long]") {
  const Result result = run_scenario("fields", "file",
                                     {{"fields", "8, 32"},
                                      {"rate_hz", "2000"},
                                      {"duration_s", "0.15"},
                                      {"warmup_s", "0"},
                                      {"rounds", "2"}});
  CHECK(result.trials.size() == 2 * (1 + 3 * 2));
  for (const Trial& trial : result.trials) {
    CHECK(trial.outcome == TrialOutcome::completed);
    CHECK(trial.ledger.corrupted == 0);
    CHECK(trial.ledger.unaccounted == 0);
    CHECK(trial.ledger.delivered == trial.ledger.emitted);
  }
  REQUIRE(result.answer);
  INFO(result.answer->sentence);
  // Of 32 decimal numbers the digits are searched, 32 texts are copied.
  CHECK(figure_of(*result.answer, "real_32_service_p50_ns").value >
        figure_of(*result.answer, "text_32_service_p50_ns").value);
  CHECK(figure_of(*result.answer, "real_per_field_ns").trials == 2);
}

Result fields_result(double text_ns, double integer_ns, double real_ns) {
  return made_rounds("fields", [&](const std::vector<std::string>& given) {
    return number_in(given) * (given.at(1) == "fields_as=text"      ? text_ns
                               : given.at(1) == "fields_as=integer" ? integer_ns
                                                                    : real_ns);
  });
}

TEST_CASE("fields: each field costs what is planted, whatever the rounds' own speed") {
  const Scenario& fields = test_catalog().scenarios.find("fields");
  const auto answer = fields.answer(fields_result(10, 20, 100));
  REQUIRE(answer);
  INFO(answer->sentence);
  CHECK(figure_of(*answer, "without_service_p50_ns").value == 1500);
  CHECK(figure_of(*answer, "text_per_field_ns").value == Approx(10));
  CHECK(figure_of(*answer, "integer_per_field_ns").value == Approx(20));
  CHECK(figure_of(*answer, "real_per_field_ns").value == Approx(100));
  CHECK(figure_of(*answer, "real_32_service_p50_ns").value == 1500 + 3200);
  CHECK_THAT(answer->sentence, Contains("takes 1.5 us for a call without fields; each field makes "
                                        "it 10 ns longer as text"));
}

TEST_CASE("fields: where none costs anything there is no difference") {
  const Scenario& fields = test_catalog().scenarios.find("fields");
  const auto answer = fields.answer(fields_result(0, 0, 0));
  REQUIRE(answer);
  CHECK(figure_of(*answer, "integer_per_field_ns").value == 0);
  CHECK_THAT(answer->sentence, Contains("no longer as text that 3 rounds resolve"));
}

TEST_CASE("fields refuses numbers of fields that no event has") {
  CHECK(refuses("fields", "fields", {"33", "1.5", "8, 4", "many"}));
}

}  // namespace
}  // namespace tailgate
