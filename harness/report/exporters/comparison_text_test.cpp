#include <catch2/catch.hpp>
#include <sstream>

#include "harness/report/exporter.h"
#include "harness/report/human.h"
#include "harness/result/sample.h"

namespace tailgate {
namespace {

using Catch::Contains;

// A sample without its trial of losses, so that nothing forbids to compare it.
Result clean_result() {
  Result result = sample_result();
  result.trials.resize(2);
  return result;
}

std::string compared(const Result& a, const Result& b) {
  const std::string text = render(Comparison{{{{"before.json", a}, {"after.json", b}}}}, "text");
  std::istringstream in(text);
  INFO(text);
  for (std::string line; std::getline(in, line);) CHECK(columns_of(line) <= 80);
  return text;
}

TEST_CASE("a comparison says loudly that it was not taken in duet") {
  const std::string text = compared(clean_result(), clean_result());
  CHECK_THAT(text, Catch::StartsWith("NOT TAKEN IN DUET: NO VERDICT\n"));
  CHECK_THAT(text, Contains("turns on one processor"));
  CHECK_THAT(text, !Contains("not comparable"));
  CHECK_THAT(text, Contains("A  before.json (steady@file:mode=mmap"));
}

// Times of the sample's summary are of all its completed trials; twice the p99 is +100 %.
TEST_CASE("a comparison shows both figures, the change, and how far trials lie apart") {
  Result slower = clean_result();
  for (StepSummary& step : slower.summary) step.response.p99_ns *= 2;
  const std::string text = compared(clean_result(), slower);
  CHECK_THAT(text, Contains("+100%"));
  CHECK_THAT(text, Contains("+0.0%"));
  CHECK_THAT(text, Contains("10k response"));
  const Trial first = clean_result().trials[0];
  CHECK_THAT(text, Contains(human_duration(first.response.p50_ns) + "-"));
}

// What logging costs the system by event, 1.2 us of processor time and then 1.5: +25 %.
TEST_CASE("a comparison shows what logging costs the system, too") {
  const auto costing = [](double cpu_ns) {
    Result result = clean_result();
    RoleOverhead logging;
    logging.role = "logging";
    logging.cpu_ns_per_event = {cpu_ns, 100};
    logging.written_bytes_per_event = {128, {}};
    for (StepSummary& step : result.summary) step.overhead = {logging};
    return result;
  };
  const std::string text = compared(costing(1200), costing(1500));
  CHECK_THAT(text, Contains("logging   CPU    1.200us 1.500us   +25.0% 1.100us-1.300us"));
  CHECK_THAT(text, Contains("bytes      128     128    +0.0%"));
  CHECK_THAT(text, !Contains("faults"));
  // Of a cheap sink it may well be nothing.
  CHECK_THAT(compared(costing(1200), costing(60)), Contains("-40ns to 160ns"));
}

TEST_CASE("a comparison says what forbids it") {
  Result other = clean_result();
  SECTION("another machine") {
    other.machine.fingerprint = "elsewhere";
    CHECK_THAT(compared(clean_result(), other), Contains("different machines"));
  }
  SECTION("another load") {
    for (Trial& trial : other.trials) trial.load.rate_hz = 5;
    CHECK_THAT(compared(clean_result(), other), Contains("different loads"));
  }
  SECTION("Wine") {
    other.label = "Wine: smoke, not Windows";
    CHECK_THAT(compared(clean_result(), other), Contains("B's use is restricted: Wine"));
  }
  SECTION("events that vanished, were lost, or late") {
    const std::string text = compared(clean_result(), sample_result());
    CHECK_THAT(text, Contains("1 of B's 4 trials have events unaccounted for"));
    CHECK_THAT(text, Contains("1 of B's 4 trials lost events"));
    CHECK_THAT(text, Contains("1 of B's 4 trials missed the rate"));
  }
}

TEST_CASE("three results are two comparisons with the first") {
  const std::string text = render(Comparison{{{{"x", clean_result()}, {"y", clean_result()}},
                                              {{"x", clean_result()}, {"z", clean_result()}}},
                                             {"only/here.json"}},
                                  "text");
  CHECK_THAT(text, Contains("A  x") && Contains("B  y") && Contains("B  z"));
}

}  // namespace
}  // namespace tailgate
