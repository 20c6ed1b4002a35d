#include "harness/result/schema.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "harness/base/error.h"
#include "harness/result/files.h"
#include "harness/result/json.h"
#include "harness/result/sample.h"

namespace tailgate {
namespace {

using nlohmann::json;

std::string committed(const std::string& name) {
  std::ifstream file(std::string(TAILGATE_RESULTS_DIR) + "/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string fixture(const std::string& version) {
  return std::string(TAILGATE_RESULTS_DIR) + "/fixtures/" + version +
         "-steady@file_mode-mmap@quick.json";
}

TEST_CASE("results/schema.json is the output of tailgate_schema") {
  CHECK(committed("schema.json") == result_schema_json());
  CHECK(committed("duet-schema.json") == duet_schema_json());
  CHECK(committed("command-duet-schema.json") == command_duet_schema_json());
  CHECK(committed("verdict-schema.json") == verdict_schema_json());
}

// Returns the text below the mark.
std::string committed_tables(const std::string& name) {
  const std::string readme = committed(name);
  const std::string begin = std::string(kFieldTablesMark) + "\n";
  const std::size_t at = readme.find(begin);
  REQUIRE(at != std::string::npos);
  return readme.substr(at + begin.size());
}

TEST_CASE("the field tables in results/ are the output of tailgate_schema") {
  CHECK(committed_tables("README.md") == result_field_tables());
  CHECK(committed_tables("DUET.md") == duet_field_tables());
  CHECK(committed_tables("COMMAND_DUET.md") == command_duet_field_tables());
  CHECK(committed_tables("VERDICT.md") == verdict_field_tables());
}

TEST_CASE("the tables of a duet link to the result's tables for structs that both have") {
  const std::string tables = duet_field_tables();
  CHECK(tables.find("### Machine") == std::string::npos);
  CHECK(tables.find("[Machine](README.md#machine)") != std::string::npos);
  CHECK(tables.find("list of [DuetRound](#duetround)") != std::string::npos);
}

TEST_CASE("the schema describes a field as the struct does") {
  const json schema = json::parse(result_schema_json());
  const json& trial = schema["$defs"]["Trial"];
  CHECK(trial["properties"]["index"]["type"] == "integer");
  CHECK(trial["properties"]["index"]["maximum"] == 4294967295u);
  CHECK(trial["properties"]["response"]["$ref"] == "#/$defs/Latency");
  CHECK(trial["properties"]["slowest"]["items"]["$ref"] == "#/$defs/SlowCall");
  CHECK(trial["additionalProperties"] == false);
  const json& consumer = schema["$defs"]["ConsumerReport"];
  const json& required = consumer["required"];
  CHECK(std::find(required.begin(), required.end(), "mode") != required.end());
  CHECK(std::find(required.begin(), required.end(), "delivery") == required.end());
  CHECK(consumer["properties"].contains("delivery"));
  CHECK(schema["$defs"]["Result"]["properties"]["version"]["maximum"] == kResultVersion);
}

TEST_CASE("every fixture loads") {
  const std::string directory = std::string(TAILGATE_RESULTS_DIR) + "/fixtures";
  const auto files = find_result_files({directory});
  CHECK_FALSE(files.empty());
  for (const auto& file : files) {
    INFO(file);
    const Result result = load_result(file);
    CHECK_FALSE(result.trials.empty());
  }
}

TEST_CASE("the fixture of version 1 has the expected content") {
  const Result result = load_result(fixture("v1"));
  CHECK(result.id == "5f0c7d1e9a3b2468");
  CHECK(result.sink.label == "file:mode=mmap");
  REQUIRE(result.trials.size() == 4);
  CHECK(result.trials[2].ledger.unaccounted == 10);
  CHECK(result.trials[3].outcome == TrialOutcome::crashed);
  CHECK(result.summary.at(0).response.count == 60'000);
  CHECK(result.trials[0].daemons.empty());  // since version 2
}

TEST_CASE("the fixture of version 2 has the processor time of the session's processes") {
  const Result result = load_result(fixture("v2"));
  const std::vector<DaemonUse>& daemons = result.trials.at(0).daemons;
  REQUIRE(daemons.size() == 2);
  CHECK(daemons[0].name == "collector");
  CHECK(daemons[0].cpu_ns == 125'000'000u);
  CHECK_FALSE(daemons[1].cpu_ns.has_value());
}

TEST_CASE("the fixture of version 3 has what each role used, in trials and controls") {
  const Result result = load_result(fixture("v3"));
  REQUIRE(result.trials.at(0).overhead);
  CHECK(result.trials[0].overhead->roles.at(0).counters.spun_ns == 1'900'000'000u);
  CHECK(result.trials[0].intervals.at(0).roles.at(0).role == "provider");
  CHECK_FALSE(result.trials.at(3).overhead);
  CHECK(result.controls.size() == 4);
  REQUIRE(result.summary.at(0).overhead.size() == 6);
  CHECK(result.summary[0].overhead[5].role == "logging");
}

TEST_CASE("the fixture of version 3 has the explanation of its traced trials' slow calls") {
  const Result result = load_result(fixture("v3"));
  CHECK(result.explained);
  CHECK_FALSE(result.trials.at(0).explanation);
  REQUIRE(result.traced.at(0).explanation);
  const Explanation& explanation = *result.traced[0].explanation;
  CHECK(explanation.trace.losses.at(0).records == 3);
  const ExplainedCall& call = explanation.calls.at(0);
  std::uint64_t at_ns = call.intended_ns;
  for (const CallSlice& slice : call.slices) {
    CHECK(slice.start_ns == at_ns);
    at_ns = slice.end_ns;
  }
  CHECK(at_ns == call.end_ns);
  CHECK(explanation.windows.at(0).runs.at(2).name == "burner");
  CHECK(result.disturbance.size() == 2);
}

TEST_CASE("the fixture of version 4 has a trial whose events could not be read back") {
  const Result result = load_result(fixture("v4"));
  CHECK(result.traced.at(1).outcome == TrialOutcome::unchecked);
  CHECK(result.traced[1].ledger.unchecked_cause ==
        "the consumer ended by signal 9 (killed) after 512 events");
  CHECK_FALSE(result.trials.at(0).ledger.unchecked());
}

TEST_CASE("the fixture of version 6 says who else used the machine, older ones do not") {
  const Result result = load_result(fixture("v6"));
  REQUIRE(result.trials.at(0).neighbours);
  const Neighbours& neighbours = *result.trials[0].neighbours;
  CHECK(neighbours.observed_ns == 2'700'000'000u);
  CHECK(neighbours.processes.at(0).name == "cc1plus");
  CHECK(neighbours.processes[0].cpu_share == 0.875);
  CHECK(neighbours.stolen_ns == 30'000'000u);
  CHECK(neighbours.taken_ns == 125'000'000u);
  CHECK_FALSE(result.trials.at(3).neighbours);  // the provider had crashed
  CHECK_FALSE(load_result(fixture("v5")).trials.at(0).neighbours);
}

TEST_CASE("the duet fixture of version 1 has the expected content") {
  const Duet duet = load_duet(std::string(TAILGATE_RESULTS_DIR) + "/fixtures/duets/v1.json");
  CHECK(duet.id == "00112233445566ff");
  CHECK(duet.turns == 50);
  REQUIRE(duet.rounds.size() == 4);
  CHECK(duet.rounds[1].turn_order.starts_with("ABBAABBA"));
  CHECK(duet.rounds[2].b.over_1ms == 1);
  CHECK(duet.rounds[2].b.service.count == 19'000);
  CHECK(duet.rounds[3].b.outcome == TrialOutcome::killed);
  CHECK(duet.b.sink.label == "file:mode=write");
}

TEST_CASE("the duet fixture of version 2 has the expected content") {
  const Duet duet = load_duet(std::string(TAILGATE_RESULTS_DIR) + "/fixtures/duets/v2.json");
  CHECK(duet.planned_rounds == 4);
  REQUIRE(duet.rounds.size() == 4);
  CHECK(duet.rounds[3].a.service.count == 20'000);
  CHECK(duet.rounds[3].b.outcome == TrialOutcome::completed);
  CHECK(duet.b.sink.options.at(0).value == "write");
}

TEST_CASE("a field with an enum lists its texts in the schema and in the table") {
  const json schema = json::parse(verdict_schema_json());
  CHECK(schema["$defs"]["Verdict"]["properties"]["outcome"]["enum"] ==
        json({"pass", "fail", "inconclusive", "invalid"}));
  CHECK(verdict_field_tables().find("| `effect_kind` | text: ratio, difference |") !=
        std::string::npos);
}

TEST_CASE("a removed field may be in an old file, but not in a new one") {
  const json schema = json::parse(duet_schema_json());
  const json& duet = schema["$defs"]["Duet"];
  CHECK(duet["properties"].contains("explained"));
  const json& required = duet["required"];
  CHECK(std::find(required.begin(), required.end(), "explained") == required.end());
  std::string text = write_duet(Duet());
  text.replace(text.find("\"rounds\""), 0, "\"explained\": false, ");
  CHECK_THROWS_AS(read_duet(text, "new.json"), Error);
  text.replace(text.find("\"version\": 3"), 12, "\"version\": 1");
  CHECK_NOTHROW(read_duet(text, "old.json"));
}

}  // namespace
}  // namespace tailgate
