#include "harness/doctor/cross_check.h"

#include <catch2/catch.hpp>
#include <string>

#include "harness/base/error.h"
#include "harness/base/file_text.h"
#include "harness/doctor/machine_latency.h"

namespace tailgate {
namespace {

using Catch::Contains;

// What cyclictest 2.40 and sockperf 3.7 wrote.
std::string recorded(const std::string& tool) {
  std::string text =
      file_text(std::filesystem::path(TAILGATE_DOCTOR_DIR) / "corpus/tool_output" / tool);
  REQUIRE(text.size() > 500);
  return text;
}

TEST_CASE("cyclictest's histogram is read as it counts") {
  const LatencySummary all = read_cyclictest(recorded("cyclictest"));
  CHECK(all.count == 1974);
  // The 987th and the 1955th of the 1974 wake-ups, counted in the file by another program.
  CHECK(all.p50_ns == 71'500);
  CHECK(all.p99_ns == 516'500);
  CHECK(all.max_ns == 6'416'500);
}

TEST_CASE("cyclictest's wake-ups beyond its histogram are the latest ones") {
  const LatencySummary all = read_cyclictest(
      R"({"thread": {"0": {"histogram": {"3": 49, "10": 1}, "cycles": 100, "max": 900},
                     "1": {"histogram": {"7": 50}, "cycles": 50, "max": 7}}})");
  CHECK(all.count == 150);
  CHECK(all.p50_ns == 7'500);  // 49 at 3 us, 50 at 7 us
  CHECK(all.p99_ns == 900'500);
}

TEST_CASE("sockperf's percentiles are read, with colours or without") {
  std::string text = recorded("sockperf");
  const LatencySummary all = read_sockperf(text);
  CHECK(all.count == 42034);
  CHECK(all.p50_ns == Approx(11'776));
  CHECK(all.p99_ns == Approx(47'389));
  CHECK(all.max_ns == Approx(3'466'299));
  for (std::size_t at; (at = text.find('\x1b')) != std::string::npos;) {
    text.erase(at, text.find('m', at) - at + 1);
  }
  CHECK(read_sockperf(text).p50_ns == all.p50_ns);
}

// Latencies, or an error; never anything else.
template <class Read>
void check_reads(const Read& read, const std::string& text) {
  try {
    const LatencySummary summary = read(text);
    if (!(summary.p50_ns >= 0 && summary.max_ns >= 0 && summary.count > 0)) {
      FAIL("no latencies: " << text);
    }
  } catch (const Error&) {
  }
}

TEST_CASE("damaged outputs are read or refused") {
  const std::string tool = GENERATE("cyclictest", "sockperf");
  const std::string whole = recorded(tool);
  const auto read = [&](const std::string& text) {
    return tool == "sockperf" ? read_sockperf(text) : read_cyclictest(text);
  };
  for (std::size_t at = 0; at < whole.size(); ++at) {
    check_reads(read, whole.substr(0, at));
    for (const char byte : {'\0', '9', '}', '\xff'}) {
      std::string changed = whole;
      changed[at] = byte;
      check_reads(read, changed);
    }
  }
}

TEST_CASE("what is no output of these programs is said to be none") {
  CHECK_THROWS_WITH(read_cyclictest(""), Contains("has no wake-ups"));
  CHECK_THROWS_WITH(read_cyclictest("{}"), Contains("has no wake-ups"));
  CHECK_THROWS_WITH(read_cyclictest(R"({"thread": {"0": 3}})"), Contains("without cycles"));
  CHECK_THROWS_WITH(
      read_cyclictest(R"({"thread": {"0": {"histogram": {"x": 1}, "cycles": 1, "max": 2}}})"),
      Contains("other things than counts"));
  CHECK_THROWS_WITH(
      read_cyclictest(R"({"thread": {"0": {"histogram": {"1": -1}, "cycles": 1, "max": 2}}})"),
      Contains("other things than counts"));
  CHECK_THROWS_WITH(read_sockperf(""), Contains("no number after"));
  CHECK_THROWS_WITH(read_sockperf("Total 0 observations"), Contains("no observations"));
  CHECK_THROWS_WITH(read_sockperf("Total 5 observations\npercentile 50.000 = nan"),
                    Contains("no number after 'percentile 50.000 ='"));
}

LatencySummary times(double p50_ns) {
  return {.count = 9, .p50_ns = p50_ns, .p99_ns = 3 * p50_ns, .max_ns = 9 * p50_ns};
}

CrossCheck made(const std::vector<double>& by_tailgate, const std::vector<double>& by_tool) {
  CrossCheck check{.tool = "cyclictest", .package = "rt-tests", .what = "late", .installed = true};
  for (const double ns : by_tailgate) check.by_tailgate.push_back(times(ns));
  for (const double ns : by_tool) check.by_tool.push_back(times(ns));
  return check;
}

Finding judged(const CrossCheck& check) {
  return judge_cross_checks({check}).at(0);
}

TEST_CASE("medians that are within a factor of two agree") {
  const Finding good = judged(made({50'000, 60'000, 900'000}, {100'000, 110'000, 3'000}));
  CHECK(good.mark == Mark::ok);
  CHECK(good.value ==
        "late: median 60 us by tailgate, 100 us by cyclictest; p99 180 us and 300 us. The medians "
        "are within a factor of 2");
  CHECK(good.remedy.empty());
  CHECK(good.figures.at(0) == std::pair<std::string, double>("tailgate_p50_ns", 60'000));
  const Finding bad = judged(made({50'000}, {101'000}));
  CHECK(bad.mark == Mark::warning);
  CHECK_THAT(bad.value, Contains("are not within a factor of 2"));
  CHECK_FALSE(bad.remedy.empty());
  CHECK(judged(made({101'000}, {50'000})).mark == Mark::warning);
  // Whole microseconds are not told apart.
  CHECK(judged(made({400}, {1'400})).mark == Mark::ok);
}

TEST_CASE("a program that is not there, or failed, is not known and says what to do") {
  CrossCheck check{.tool = "sockperf", .package = "sockperf", .what = "trips"};
  CHECK(judged(check).mark == Mark::unknown);
  CHECK(judged(check).remedy == "apt-get install sockperf");
  check.installed = true;
  check.failure = "sockperf failed: exit code 1";
  CHECK(judged(check).mark == Mark::unknown);
  CHECK(judged(check).value == "not known: sockperf failed: exit code 1");
}

TEST_CASE("percentiles of times are by the nearest rank") {
  std::vector<std::uint64_t> times;
  for (std::uint64_t ns = 200; ns > 0; --ns) times.push_back(ns);
  const LatencySummary all = summary_of(times);
  CHECK(all.count == 200);
  CHECK(all.p50_ns == 100);
  CHECK(all.p99_ns == 198);
  CHECK(all.max_ns == 200);
  CHECK(summary_of({}).count == 0);
}

TEST_CASE("tailgate's own wake-ups are as many as there were periods, at most") {
  const Clock clock(measure_clock());
  const LatencySummary late = measure_wake_ups(clock, 1'000'000, 50'000'000);
  CHECK(late.count > 0);
  CHECK(late.count <= 50);
  CHECK(late.p50_ns <= late.p99_ns);
}

}  // namespace
}  // namespace tailgate
