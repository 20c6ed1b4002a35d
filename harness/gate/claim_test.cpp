#include "harness/gate/claim.h"

#include <catch2/catch.hpp>

#include "harness/base/error.h"

namespace tailgate {
namespace {

using Catch::Contains;

// What fails and what to do, in one text.
template <class Read>
std::string refusal_of(Read read) {
  try {
    read();
  } catch (const Error& error) {
    return error.what_failed() + " -> " + error.remedy();
  }
  return "accepted";
}

std::string bound_refusal(const std::string& text, bool is_ratio = false) {
  return refusal_of([&] { parse_claim_bound(text, is_ratio); });
}

std::string file_refusal(const std::string& text) {
  return refusal_of([&] { parse_claims(text, "mine.toml"); });
}

const std::string kHead = "[[claim]]\nclaim = \"fast\"\nsource = \"https://example.org\"\n";
const std::string kRun = "run = { scenario = \"steady\", sink = \"lttng\", rate = \"10k\" }\n";

TEST_CASE("a claim's bound has a figure, a relation and a number with its unit") {
  struct Given {
    const char* text;
    ClaimKind kind;
    BoundRelation relation;
    double limit;
    ClaimUnit unit;
  };
  const Given given = GENERATE(
      Given{"service p50 >= 100ns", ClaimKind::time, BoundRelation::at_least, 100, ClaimUnit::ns},
      Given{"p99.9 < 1.5ms", ClaimKind::time, BoundRelation::below, 1.5e6, ClaimUnit::ns},
      Given{"delivery  mean > 1s", ClaimKind::time, BoundRelation::above, 1e9, ClaimUnit::ns},
      Given{"machine >= 5%", ClaimKind::machine, BoundRelation::at_least, 0.05, ClaimUnit::share},
      Given{"lost = 0", ClaimKind::lost, BoundRelation::exactly, 0, ClaimUnit::count},
      Given{"lost <= 0.1 %", ClaimKind::lost, BoundRelation::at_most, 0.001, ClaimUnit::share},
      Given{"cpu <= 2us", ClaimKind::cpu, BoundRelation::at_most, 2000, ClaimUnit::ns},
      Given{"written < 1KiB", ClaimKind::written, BoundRelation::below, 1024, ClaimUnit::bytes},
      Given{"rate >= 3.1M", ClaimKind::rate, BoundRelation::at_least, 3.1e6, ClaimUnit::per_s},
      Given{"limit_bytes >= 60KiB", ClaimKind::figure, BoundRelation::at_least, 61440,
            ClaimUnit::bytes},
      Given{"program_gone_events = 0", ClaimKind::figure, BoundRelation::exactly, 0,
            ClaimUnit::count},
      Given{"p90_per_stop < 10%", ClaimKind::figure, BoundRelation::below, 0.1, ClaimUnit::share},
      Given{"a_ratio > 1.5x", ClaimKind::figure, BoundRelation::above, 1.5, ClaimUnit::ratio});
  INFO(given.text);
  const ClaimBound bound = parse_claim_bound(given.text, false);
  CHECK(bound.metric.kind == given.kind);
  CHECK(bound.relation == given.relation);
  CHECK(bound.limit == Approx(given.limit));
  CHECK(bound.unit == given.unit);
}

TEST_CASE("the bound on a ratio is a number without a unit of time") {
  CHECK(parse_claim_bound("p99.9 < 0.5x", true).limit == 0.5);
  CHECK(parse_claim_bound("cpu <= 110%", true).limit == Approx(1.1));
  CHECK(parse_claim_bound("cpu <= 1.1", true).unit == ClaimUnit::ratio);
  CHECK_THAT(bound_refusal("p99.9 < 5us", true), Contains("write p99.9 < 0.5, 2x or 120%"));
}

TEST_CASE("a bound that cannot be meant is refused with the right form") {
  CHECK_THAT(bound_refusal("fast"), Contains("it has no <"));
  CHECK_THAT(bound_refusal("p98 < 5us"), Contains("no figure of a result") && Contains("'p90'"));
  CHECK_THAT(bound_refusal("limt_byte < 5"), Contains("_bytes"));
  CHECK_THAT(bound_refusal("p99 < 5"), Contains("write p99 < 50us"));
  CHECK_THAT(bound_refusal("machine < 5"), Contains("write machine < 5%"));
  CHECK_THAT(bound_refusal("rate > -1"), Contains("write rate > 20k"));
  CHECK_THAT(bound_refusal("p99 < " + std::string(1000, '9') + "s"), Contains("too long"));
}

TEST_CASE("a claim is five lines of a file") {
  const std::vector<Claim> claims =
      parse_claims(kHead + kRun + "holds = [\"service p50 >= 100ns\", \"service p50 <= 300ns\"]\n" +
                       kHead + "means = \"half as slow\"\n" +
                       "run = { scenario = \"steady\", sink = \"lttng\", set = { threads = 4 } }\n"
                       "than = { sink = \"journald\" }\nholds = \"p99 < 0.5\"\n",
                   "mine.toml");
  REQUIRE(claims.size() == 2);
  CHECK(claims[0].text == "fast");
  CHECK(claims[0].source == "https://example.org");
  CHECK(claims[0].run.subject() == "steady@lttng@10k");
  CHECK(claims[0].bounds.size() == 2);
  CHECK(claims[0].place == "mine.toml:1");
  CHECK_FALSE(claims[0].than);
  // What `than` leaves out is as in `run`.
  REQUIRE(claims[1].than);
  CHECK(claims[1].than->subject() == "steady@journald, threads=4");
  CHECK(claims[1].means == "half as slow");
}

TEST_CASE("a claim chooses runs by scenario or preset, sink, settings and step") {
  ClaimRun run{"steady", "lttng", 10'000, {{"threads", "4"}, {"rate_hz", "10k"}}};
  Result result;
  result.scenario.name = "steady";
  result.sink.name = result.sink.label = "lttng";
  result.scenario.options = {{"rate_hz", "10_000"}, {"threads", "4"}, {"payload", "128"}};
  StepSummary step;
  step.rate_hz = 10'000;
  CHECK(run.matches(result));
  CHECK(run.matches(step));
  step.rate_hz = 20'000;
  CHECK_FALSE(run.matches(step));
  result.scenario.options[1].value = "5";
  CHECK_FALSE(run.matches(result));
  result.scenario.options[1].value = "4";
  result.sink.label = "lttng:output=live";
  CHECK_FALSE(run.matches(result));
  result.sink.label = "lttng";
  result.scenario.name = "poisson";
  CHECK_FALSE(run.matches(result));
  result.scenario.preset = "steady";
  CHECK(run.matches(result));
}

TEST_CASE("errors in a file of claims name file and line") {
  const auto says = [](const std::string& text, const std::string& what) {
    INFO(text);
    CHECK_THAT(file_refusal(text), Contains("mine.toml:") && Contains(what));
  };
  says("", "no claim");
  says("[[claim]", "mine.toml:1");
  says("[[claims]]\n", "claims");
  says(kHead + kRun, "holds");
  says(kHead + "holds = \"lost = 0\"\n", "run");
  says(kHead + "run = \"steady\"\nholds = \"lost = 0\"\n", "mine.toml:4: run is no table");
  says(kHead + "run = { sink = \"lttng\" }\nholds = \"lost = 0\"\n", "no scenario");
  says(kHead + kRun + "holds = []\n", "mine.toml:5: holds names no figure");
  says(kHead + kRun + "holds = \"p98 < 1us\"\n", "mine.toml:5: 'p98 < 1us'");
  says(kHead + kRun + "holds = \"lost = 0\"\nwho = 1\n", "who");
  says(kHead + kRun + "than = { rate = \"fast\" }\nholds = \"lost < 1\"\n",
       "mine.toml:5: 'fast' is no rate");
  says(kHead + kRun + "than = { sink = \"lttng\" }\nholds = \"lost < 1\"\n", "the same run");
  says(kHead +
           "run = { scenario = \"steady\", sink = \"lttng\", set = { a = [1] } }\n"
           "holds = \"lost = 0\"\n",
       "a is no option's value");
  says("[[claim]]\nclaim = \"\"\n", "claim is empty");
}

}  // namespace
}  // namespace tailgate
