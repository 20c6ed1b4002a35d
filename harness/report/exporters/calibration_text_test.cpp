#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/report/exporter.h"
#include "harness/report/human.h"

namespace tailgate {
namespace {

using Catch::Contains;

CalibrationRow row(const char* sink, const char* planted, std::uint64_t runs, std::uint64_t fail) {
  CalibrationRow row;
  row.sink = sink;
  row.load = "steady rate_hz=20000";
  row.planted = planted;
  row.runs = runs;
  row.pass = runs - fail;
  row.fail = fail;
  row.mean_duration_s = 41.6;
  row.failed = binomial_interval(fail, runs, 0.95);
  return row;
}

// Intervals by hand: 0 of 40 is at most 1 - .025^(1/40) = 8.81 %, 8 of 8 at least .025^(1/8) = 63.1
// %.
TEST_CASE("each sink has a table with exact intervals") {
  RelabelledRow bound;
  bound.sink = "file";
  bound.load = "steady rate_hz=20000";
  bound.rounds = 640;
  bound.gates = 2000;
  bound.pass = 1990;
  bound.failed = binomial_interval(0, 2000, 0.95);
  RelabelledRow worse = bound;
  worse.worse = "response_ns_p99_9";
  worse.worse_by = 1;
  worse.gates = 200;
  worse.pass = 0;
  worse.fail = 190;
  worse.failed = binomial_interval(190, 200, 0.95);
  RelabelledRow stalls = bound;
  stalls.stall = PlantedStall{100, 30};
  CalibrationReport report;
  report.rows = {row("file", "none", 40, 0), row("file", "slower-10", 8, 8),
                 row("lttng", "none", 1000, 1)};
  RelabelledRow elsewhere = bound;
  elsewhere.load = "steady rate_hz=5000";
  elsewhere.rounds = 31;
  report.rows.push_back(report.rows.front());
  report.rows.back().load = elsewhere.load;
  report.relabelled = {bound, worse, stalls, elsewhere};
  const std::string text = render(report, "text");
  CHECK_THAT(text, Catch::StartsWith("### file, steady rate_hz=20000\n\n| planted"));
  CHECK_THAT(text, Contains("| none       |   40 |   40 |    0 |    0 |    0 | 0 % (0.0 to 8.81)"));
  CHECK_THAT(text, Contains("| slower-10  |    8 |    0 |    8 |"));
  CHECK_THAT(text, Contains("100 % (63.1 to 100)"));
  CHECK_THAT(text, Contains("\n### lttng, steady rate_hz=20000\n\n"));
  CHECK_THAT(text, Contains("\n\nRelabelled: gates on rounds drawn from the 640 with nothing"));
  CHECK_THAT(text,
             Contains("| nothing           |        | 1990 |    0 |   10 | 0 % (0.0 to 0.18"));
  CHECK_THAT(text, Contains("| response_ns_p99_9 |  100 % |    0 |  190 |   10 | 95 % (91.0 to"));
  CHECK_THAT(text, Contains("| stalls of 100 ms  |  1/30s | 1990 |    0 |   10 | 0 % (0.0"));
  CHECK(text.find("Relabelled") < text.find("### lttng"));
  const std::string slow = text.substr(text.find("### file, steady rate_hz=5000"));
  CHECK_THAT(slow, Contains("drawn from the 31 with nothing") && !Contains("from the 640"));
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) CHECK(columns_of(line) <= 80);
}

TEST_CASE("the first table bounds false alarms and scores what was found") {
  CalibrationReport report;
  report.rows = {row("spdlog:mode=async_block", "none", 232, 0),
                 row("spdlog:mode=async_block", "slower-10", 8, 7)};
  report.scores = scores_of(report.rows, {"slower-10"});
  const std::string text = render(report, "text");
  std::string words = text;
  std::replace(words.begin(), words.end(), '\n', ' ');
  CHECK_THAT(words,
             Contains("False alarms: 0 of 232 runs with nothing planted, so a share of at most "
                      "1.58 % (exact 95 % interval). 3456 more without a fail"));
  CHECK_THAT(words, Contains("recall 88 % (7 of 8), precision 100 %, F 0.933."));
  CHECK_THAT(
      text,
      Contains("| spdlog:mode=async_block |  0 of 232 |  1.58 % |     7 of 8 | 100 % | 0.933 |"));
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) CHECK(columns_of(line) <= 80);
  const auto document = nlohmann::json::parse(render(report, "json"));
  CHECK(document["scores"].size() == 2);
  CHECK(document["scores"][0]["sink"] == "");
  CHECK(document["scores"][1]["more_equal"] == 3456);
  CHECK(document["scores"][1]["recall"] == 0.875);
  CHECK(document["rows"][1]["fail"] == 7);
  CHECK(document["rows"][1]["failed"][1] == report.rows[1].failed.high);
}

std::string origin_of(const Calibration& calibration) {
  return render(CalibrationReport{calibration, {}, {}, {}}, "text");
}

TEST_CASE("the origin names each day, machine and revision once") {
  CHECK(origin_of({}) == "\nNo runs yet.\n");
  Calibration calibration;
  CalibrationRun run;
  run.started_utc = "2026-06-02T23:59:59Z";
  run.fingerprint = "aa11";
  run.revision = "0123abc";
  calibration.runs.push_back(run);
  CHECK(origin_of(calibration) == "\n1 run, 2026-06-02; machine aa11; revision 0123abc.\n");
  run.started_utc = "2026-06-01T00:00:00Z";
  run.fingerprint = "bb22";
  calibration.runs.push_back(run);
  CHECK(origin_of(calibration) ==
        "\n2 runs, 2026-06-01 to 2026-06-02; machines aa11, bb22; revision 0123abc.\n");
}

}  // namespace
}  // namespace tailgate
