// Claims on made-up results whose answer is known.
#include "harness/report/judge_claims.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/report/claim_text.h"
#include "harness/report/exporter.h"
#include "harness/report/human.h"

namespace tailgate {
namespace {

using Catch::Contains;

// Steady at 10k events/s: the trials' medians are around p50_ns, their other times five times and
// more of it. An idle thread lost that share of the time.
NamedResult claimed_run(const std::string& sink, std::uint64_t p50_ns, double lost_share = 0) {
  Result result;
  result.complete = true;
  result.started_utc = "2026-06-01T12:00:00Z";
  result.scenario.name = "steady";
  result.scenario.options = {{"rate_hz", "10_000"}, {"threads", "1"}};
  result.sink.name = sink.substr(0, sink.find(':'));
  result.sink.label = sink;
  result.machine.fingerprint = "one";
  StepSummary step;
  step.rate_hz = step.achieved_rate_hz = 10'000;
  step.trials = 5;
  result.summary.push_back(step);
  for (unsigned i = 0; i < 5; ++i) {
    Trial trial;
    trial.index = i;
    trial.outcome = TrialOutcome::completed;
    trial.load.rate_hz = trial.achieved_rate_hz = 10'000;
    trial.service.count = 20'000;
    trial.service.p50_ns = p50_ns + i;
    trial.service.p99_ns = 5 * p50_ns + i;
    trial.service.p99_9_ns = 10 * p50_ns + i;
    trial.response = trial.service;
    trial.ledger.checked = true;
    trial.ledger.emitted = trial.ledger.delivered = 20'000;
    trial.noise.observed_ns = 100'000'000;
    trial.noise.lost_share = lost_share;
    result.trials.push_back(trial);
  }
  return {sink + ".json", result};
}

NamedResult answered(const std::string& sink, const AnswerFigure& figure) {
  NamedResult named = claimed_run(sink, 100);
  named.result.scenario.name = "payload";
  named.result.answer = Answer{"payload", "a sentence", {}, {figure}, {}};
  return named;
}

ClaimSurroundings surroundings() {
  return {[](const std::string& sink) {
            return sink == "etw" ? std::string("sink 'etw' is not available here: no sessions")
                                 : std::string();
          },
          [](const ClaimRun& wanted) { return "measure " + wanted.subject(); }};
}

Claim claim(const std::string& run_of, const std::string& holds) {
  return parse_claims(
             "[[claim]]\nclaim = \"c\"\nsource = \"s\"\n" + run_of + "\nholds = " + holds + "\n",
             "x")
      .front();
}

const std::string kLttng = "run = { scenario = \"steady\", sink = \"lttng\", rate = \"10k\" }";
const std::string kPair = kLttng + "\nthan = { sink = \"journald\" }";
const std::string kPayload = "run = { scenario = \"payload\", sink = \"journald\" }";

ClaimVerdict verdict(const Claim& asked, const Results& results) {
  return judge_claims({asked}, results, surroundings()).list.front();
}

TEST_CASE("a claim holds, does not hold or straddles by the interval of its trials") {
  const Results results = {
      claimed_run("lttng", 100)};  // 100 to 104 ns: mean 102, 95 % 100.04 to 103.96
  struct Given {
    const char* holds;
    ClaimOutcome outcome;
  };
  const Given given = GENERATE(
      Given{"\"service p50 <= 300ns\"", ClaimOutcome::holds},
      Given{"\"service p50 <= 103.97ns\"", ClaimOutcome::holds},
      Given{"\"service p50 <= 103ns\"", ClaimOutcome::cannot_be_told},
      Given{"\"service p50 <= 100ns\"", ClaimOutcome::does_not_hold},
      Given{"[\"service p50 >= 100ns\", \"service p50 <= 300ns\"]", ClaimOutcome::holds},
      Given{"[\"service p50 >= 200ns\", \"service p50 <= 102ns\"]", ClaimOutcome::does_not_hold},
      Given{"\"p99.9 < 1ms\"", ClaimOutcome::holds}, Given{"\"lost = 0\"", ClaimOutcome::holds},
      Given{"\"lost > 0\"", ClaimOutcome::does_not_hold},
      Given{"\"rate >= 10k\"", ClaimOutcome::holds},
      Given{"\"cpu < 1us\"", ClaimOutcome::cannot_be_told},
      Given{"\"delivery p50 < 1s\"", ClaimOutcome::cannot_be_told},
      Given{"\"capacity_hz < 1k\"", ClaimOutcome::cannot_be_told});
  INFO(given.holds);
  CHECK(verdict(claim(kLttng, given.holds), results).outcome == given.outcome);
}

TEST_CASE("what is shown has the interval, the trials and the run") {
  const ClaimVerdict judged =
      verdict(claim(kLttng, "\"service p50 <= 300ns\""), {claimed_run("lttng", 100)});
  CHECK(claim_shown_text(judged) ==
        "service p50 102ns (100ns .. 104ns); 5 trials of steady@lttng@10k");
  CHECK(judged.files == std::vector<std::string>{"lttng.json"});
}

TEST_CASE("the ratio of two runs is compared, by intervals that hold together") {
  const Results results = {claimed_run("lttng", 1000), claimed_run("journald", 10'000)};
  CHECK(verdict(claim(kPair, "\"service p50 < 1\""), results).outcome == ClaimOutcome::holds);
  CHECK(verdict(claim(kPair, "\"service p50 < 0.05x\""), results).outcome ==
        ClaimOutcome::does_not_hold);
  CHECK(verdict(claim(kPair, "\"service p50 < 0.1002\""), results).outcome ==
        ClaimOutcome::cannot_be_told);
  CHECK_THAT(claim_shown_text(verdict(claim(kPair, "\"service p50 < 1\""), results)),
             Contains("service p50 1.002us against 10.00us, 0.1x"));
  // Nothing is divided by zero.
  CHECK_THAT(verdict(claim(kPair, "\"lost < 1\""), results).reason, Contains("zero"));
}

TEST_CASE("what was not measured says how to measure it, or why it cannot be") {
  const ClaimVerdict missing = verdict(claim(kPair, "\"p99 < 1\""), {claimed_run("lttng", 100)});
  CHECK(missing.outcome == ClaimOutcome::cannot_be_told);
  CHECK(missing.reason == "not measured: steady@journald@10k");
  CHECK(missing.measure == "measure steady@journald@10k");
  const ClaimVerdict etw =
      verdict(claim("run = { scenario = \"steady\", sink = \"etw\" }", "\"machine <= 5%\""), {});
  CHECK(etw.reason == "sink 'etw' is not available here: no sessions");
  CHECK(etw.measure.empty());
  // A result of a machine that has the sink is judged.
  CHECK(verdict(claim("run = { scenario = \"steady\", sink = \"etw\" }", "\"p50 <= 1us\""),
                {claimed_run("etw", 100)})
            .outcome == ClaimOutcome::holds);
}

TEST_CASE("a busy machine leaves the median, or nothing, or what it does not decide") {
  const Results others = {claimed_run("lttng", 100, 0.05)};
  CHECK(verdict(claim(kLttng, "\"service p50 <= 300ns\""), others).outcome == ClaimOutcome::holds);
  const ClaimVerdict tail = verdict(claim(kLttng, "\"service p99.9 <= 1ms\""), others);
  CHECK(tail.outcome == ClaimOutcome::cannot_be_told);
  CHECK_THAT(tail.reason, Contains("decides service p99.9"));
  CHECK(tail.shown.size() == 1);
  const ClaimVerdict busy =
      verdict(claim(kLttng, "\"service p50 <= 300ns\""), {claimed_run("lttng", 100, 0.5)});
  CHECK(busy.reason == "the machine was busy");
  NamedResult sizes = answered("journald", {"limit_bytes", 61440, 61440.0, {}, 3, ""});
  for (Trial& trial : sizes.result.trials) trial.noise.lost_share = 0.5;
  CHECK(verdict(claim(kPayload, "\"limit_bytes >= 60KiB\""), {sizes}).outcome ==
        ClaimOutcome::holds);
}

TEST_CASE("the answer's figures are compared with their own intervals") {
  const auto says = [](std::optional<double> low, std::optional<double> high) {
    return verdict(claim(kPayload, "\"limit_bytes >= 60KiB\""),
                   {answered("journald", {"limit_bytes", 61440, low, high, 3, ""})})
        .outcome;
  };
  CHECK(says(61440.0, {}) == ClaimOutcome::holds);
  CHECK(says(8000.0, 8200.0) == ClaimOutcome::does_not_hold);
  CHECK(says(8000.0, 62000.0) == ClaimOutcome::cannot_be_told);
  CHECK(says({}, {}) == ClaimOutcome::cannot_be_told);
  const Results gone = {answered("journald", {"program_gone_events", 0, 0.0, 0.0, 5, ""})};
  CHECK(verdict(claim(kPayload, "\"program_gone_events = 0\""), gone).outcome ==
        ClaimOutcome::holds);
  CHECK(verdict(claim(kPayload, "\"program_gone_events > 0\""), gone).outcome ==
        ClaimOutcome::does_not_hold);
  CHECK_THAT(verdict(claim(kPayload, "\"limit_bytes = 1B\""), gone).reason,
             Contains("no figure limit_bytes"));
}

TEST_CASE("results that may not be judged tell nothing") {
  const Claim asked = claim(kLttng, "\"service p50 <= 300ns\"");
  const auto reason = [&](auto change) {
    NamedResult named = claimed_run("lttng", 100);
    change(named.result);
    const ClaimVerdict judged = verdict(asked, {named});
    CHECK(judged.outcome == ClaimOutcome::cannot_be_told);
    return judged.reason;
  };
  CHECK_THAT(reason([](Result& result) { result.label = "Wine"; }), Contains("Wine"));
  CHECK_THAT(reason([](Result& result) {
               result.trials[1].outcome = TrialOutcome::crashed;
               result.summary[0].trials = 4;
             }),
             Contains("1 of 5 trials"));
  CHECK_THAT(reason([](Result& result) { result.trials[1].ledger.unaccounted = 1; }),
             Contains("unaccounted"));
  CHECK_THAT(reason([](Result& result) { result.trials.resize(1), result.summary[0].trials = 1; }),
             Contains("one trial"));
  CHECK_THAT(reason([](Result& result) {
               for (Trial& trial : result.trials) trial.service.count = 3;
             }),
             Contains("calls of a trial"));
  NamedResult other = claimed_run("journald", 100);
  other.result.machine.fingerprint = "two";
  CHECK_THAT(verdict(claim(kPair, "\"p50 < 2\""), {claimed_run("lttng", 100), other}).reason,
             Contains("different machines"));
}

TEST_CASE("of several results of one run the latest counts") {
  NamedResult old = claimed_run("lttng", 1000);
  NamedResult later = claimed_run("lttng", 100);
  later.name = "later.json";
  later.result.started_utc = "2026-06-02T12:00:00Z";
  for (const Results& results : {Results{old, later}, Results{later, old}}) {
    const ClaimVerdict judged = verdict(claim(kLttng, "\"service p50 <= 300ns\""), results);
    CHECK(judged.outcome == ClaimOutcome::holds);
    CHECK(judged.files == std::vector<std::string>{"later.json"});
  }
}

TEST_CASE("claims as text, Markdown, JSON and a page have every claim once") {
  const std::vector<Claim> claims = {claim(kLttng, "\"service p50 <= 300ns\""),
                                     claim(kLttng, "\"service p50 <= 3ns\""),
                                     claim(kPair, "\"service p50 < 1\"")};
  ClaimVerdicts verdicts = judge_claims(claims, {claimed_run("lttng", 100)}, surroundings());
  verdicts.list[0].source = "https://example.org/a?b&c";
  const std::string text = render(verdicts, "text");
  CHECK_THAT(text, Contains("Claims: 1 holds, 1 does not hold, 1 cannot be told here"));
  CHECK_THAT(text, Contains("does not hold   c [2]"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) CHECK(columns_of(line) <= kColumns);
  const auto json = nlohmann::json::parse(render(verdicts, "json"));
  CHECK(json["claims"].size() == 3);
  CHECK(json["claims"][0]["verdict"] == "holds");
  CHECK(json["claims"][0]["shown"][0]["figure"]["value"] == 102);
  CHECK(json["claims"][2]["measure"] == "measure steady@journald@10k");
  CHECK_THAT(render(verdicts, "markdown"), Contains("| **does not hold** |"));
  const std::string page = render(verdicts, "html");
  CHECK_THAT(page, Contains("<a href=\"https://example.org/a?b&#38;c\">"));
  CHECK_THAT(page, Contains("<td class=\"bad\">does not hold</td>"));
}

}  // namespace
}  // namespace tailgate
