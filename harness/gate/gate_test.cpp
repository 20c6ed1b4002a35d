#include "harness/gate/gate.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <string>

#include "harness/gate/effect_text.h"
#include "harness/result/json.h"
#include "harness/result/sample_duet.h"

namespace tailgate {
namespace {

using Catch::Contains;

constexpr const char* kToday = "2026-06-01";

Verdict judged(const Duet& duet, const Policy& policy = default_policy()) {
  return judge(duet, policy, kToday);
}

const MetricJudgement& metric_of(const Verdict& verdict, const std::string& name) {
  const auto found = std::find_if(verdict.metrics.begin(), verdict.metrics.end(),
                                  [&](const MetricJudgement& m) { return m.name == name; });
  REQUIRE(found != verdict.metrics.end());
  return *found;
}

std::string reasons(const Verdict& verdict) {
  std::string text;
  for (const Remark& reason : verdict.reasons) text += reason.what + " | " + reason.remedy + "\n";
  return text;
}

std::string remarks(const Verdict& verdict) {
  std::string text;
  for (const Remark& remark : verdict.remarks) text += remark.what + "\n";
  return text;
}

TEST_CASE("the duet's own remarks are the verdict's, too") {
  Duet duet = sample_duet({});
  duet.remarks.push_back({"system calls were not counted: not permitted", ""});
  CHECK_THAT(remarks(judged(duet)), Contains("system calls were not counted: not permitted"));
}

TEST_CASE("a pass says how old processes became") {
  Duet duet = sample_duet({});
  CHECK_THAT(remarks(judged(duet)), !Contains("processes lived"));
  duet.rounds[3].age_ns = 33'400'000'000;
  CHECK_THAT(remarks(judged(duet)),
             Contains("would not have been seen; processes lived up to 33 s"));
  duet.rounds[4].age_ns = 182'400'000'000;
  CHECK_THAT(remarks(judged(duet)), Contains("processes lived up to 180 s\n"));
}

// No stall in 15 rounds does not tell that they are rarer than one in 80,000 calls; none in 30
// does.
TEST_CASE("the same on both sides passes as soon as the rounds tell rare stalls") {
  const Verdict verdict = judged(sample_duet({}));
  INFO(reasons(verdict));
  CHECK(verdict.outcome == VerdictOutcome::pass);
  CHECK(verdict.rounds_used == 30);
  CHECK(verdict.rounds_recorded == 50);
  CHECK_THAT(remarks(verdict), Contains("calls over 1 ms that B makes once in 10 s of load"));
  CHECK(verdict_exit_code(verdict.outcome) == 0);
  for (const MetricJudgement& metric : verdict.metrics)
    CHECK(metric.decision != MetricOutcome::fail);
}

// Twenty gates each; under sign exchange at most one in a thousand fails.
TEST_CASE("the same on both sides never fails") {
  const bool heavy = GENERATE(false, true);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SampleDuet sample;
    sample.seed = seed;
    sample.heavy = heavy;
    sample.spread = 0.03;
    CHECK(judged(sample_duet(sample)).outcome != VerdictOutcome::fail);
  }
}

TEST_CASE("ten percent on every call fails, with the effect and its interval") {
  SampleDuet sample;
  sample.all = 1.10;
  const Verdict verdict = judged(sample_duet(sample));
  CHECK(verdict.outcome == VerdictOutcome::fail);
  CHECK(verdict_exit_code(verdict.outcome) == 1);
  const MetricJudgement& p50 = metric_of(verdict, "response_ns_p50");
  CHECK(p50.decision == MetricOutcome::fail);
  CHECK(p50.effect == Approx(0.10).margin(0.01));
  CHECK(*p50.effect_low <= 0.10);
  CHECK(*p50.effect_high >= 0.10);
  CHECK(p50.margin == 0.05);
  CHECK(metric_of(verdict, "rss_bytes").decision == MetricOutcome::pass);
  CHECK_THAT(reasons(verdict), Contains("response_ns_p50 changed by +"));
  CHECK_THAT(reasons(verdict), Contains("waiver"));
}

// 15 pairs have patterns enough for a fail, five do not, however many rounds they have.

TEST_CASE("each kind of cost is found by its own metric") {
  SampleDuet sample;
  SECTION("the tail") {
    sample.tail = 1.4;
    const Verdict verdict = judged(sample_duet(sample));
    CHECK(verdict.outcome == VerdictOutcome::fail);
    CHECK(metric_of(verdict, "response_ns_p99").decision == MetricOutcome::fail);
    CHECK(metric_of(verdict, "response_ns_p50").decision == MetricOutcome::pass);
  }
  SECTION("processor time") {
    sample.cpu = 1.1;
    const Verdict verdict = judged(sample_duet(sample));
    CHECK(metric_of(verdict, "cpu_ns_per_event").decision == MetricOutcome::fail);
    CHECK(metric_of(verdict, "cpu_ns_per_event").effect == Approx(0.1).margin(0.01));
    CHECK(metric_of(verdict, "response_ns_p50").decision == MetricOutcome::pass);
  }
  SECTION("memory") {
    sample.memory = 1.2;
    CHECK(metric_of(judged(sample_duet(sample)), "rss_bytes").decision == MetricOutcome::fail);
  }
  SECTION("stalls") {
    Duet duet = sample_duet(sample);
    for (DuetRound& round : duet.rounds) round.b.over_1ms = 2;
    const Verdict verdict = judged(duet);
    CHECK(metric_of(verdict, "calls_over_1ms").decision == MetricOutcome::fail);
    CHECK(metric_of(verdict, "calls_over_1ms").effect == 2);
  }
  SECTION("the rate") {
    Duet duet = sample_duet(sample);
    for (DuetRound& round : duet.rounds) round.b.rate_missed = true;
    const Verdict verdict = judged(duet);
    CHECK(verdict.outcome == VerdictOutcome::fail);
    CHECK(metric_of(verdict, "rate_missed").decision == MetricOutcome::fail);
  }
}

TEST_CASE("faster is no reason to fail") {
  SampleDuet sample;
  sample.all = 0.7;
  sample.cpu = 0.8;
  const Verdict verdict = judged(sample_duet(sample));
  CHECK(verdict.outcome == VerdictOutcome::pass);
  CHECK_THAT(remarks(verdict), Contains("response_ns_p50 improved by more than its margin: -") &&
                                   !Contains("rss_bytes improved"));
  CHECK_THAT(remarks(judged(sample_duet({}))), !Contains("improved"));
}

TEST_CASE("noise leaves it open, and says how many rounds would decide") {
  SampleDuet sample;
  sample.spread = 0.25;
  const Verdict verdict = judged(sample_duet(sample));
  REQUIRE(verdict.outcome == VerdictOutcome::inconclusive);
  CHECK(verdict_exit_code(verdict.outcome) == 3);
  CHECK(verdict.rounds_used == 50);
  REQUIRE(verdict.rounds_needed);
  CHECK(*verdict.rounds_needed >= 50);
  CHECK_THAT(reasons(verdict), Contains("rounds would decide it"));
}

TEST_CASE("too few rounds leave it open") {
  SampleDuet sample;
  sample.rounds = 6;
  sample.all = 3;
  const Verdict verdict = judged(sample_duet(sample));
  CHECK(verdict.outcome == VerdictOutcome::inconclusive);
  CHECK_THAT(reasons(verdict), Contains("6 rounds are fewer than the first look needs, 15"));
}

TEST_CASE("a comparison that may not be made is invalid, whatever the figures") {
  SampleDuet sample;
  sample.all = 2;
  Duet duet = sample_duet(sample);
  std::string expected;
  SECTION("unaccounted events") {
    duet.rounds[20].a.ledger.unaccounted = 3;
    expected = "side A: 3 events unaccounted for, in 1 rounds";
  }
  SECTION("Wine") {
    duet.machine.os = "Wine 8.0 on Linux";
    expected = "measured under 'Wine 8.0";
  }
  SECTION("a restriction on use") {
    duet.label = "Wine: smoke, not Windows";
    expected = "its use is restricted: Wine";
  }
  SECTION("another load") {
    duet.b.load.rate_hz = 10'000;
    expected = "different loads";
  }
  SECTION("two things at a time") {
    duet.b.build.revision = "fedcba";
    duet.b.sink.label = "file:mode=mmap";
    duet.b.sink.options = {{"mode", "mmap"}};
    expected = "the sides differ in their builds and in the sink or its options";
  }
  SECTION("uncommitted changes") {
    duet.b.build.dirty = true;
    duet.a.build.dirty = true;
    expected = "uncommitted changes, which the policy forbids";
  }
  SECTION("losses on both sides") {
    for (DuetRound& round : duet.rounds) {
      round.a.ledger.lost = 400;
      round.b.ledger.lost = 410;
    }
    expected = "both sides lost more than 1 % of their events: A 2 %, B 2.05 %";
  }
  SECTION("a gated metric that B lacks") {
    for (int i = 0; i < 6; ++i) duet.rounds[static_cast<std::size_t>(i)].b.cpu_ns.reset();
    expected = "cpu_ns_per_event was measured on side A in 50 and on side B in 44 of 50 rounds";
  }
  SECTION("A missed its rate") {
    for (int i = 0; i < 6; ++i) duet.rounds[static_cast<std::size_t>(i)].a.rate_missed = true;
    expected = "side A missed its rate in 6 of 50 rounds";
  }
  SECTION("A crashed") {
    duet.rounds[3].a.outcome = TrialOutcome::crashed;
    duet.rounds[3].a.outcome_detail = "SIGSEGV";
    expected = "side A did not run to its end in 1 rounds (crashed: SIGSEGV)";
  }
  SECTION("A's events could not be read back") {
    duet.rounds[3].a.outcome = TrialOutcome::unchecked;
    duet.rounds[3].a.ledger.checked = false;
    expected = "side A did not run to its end in 1 rounds (unchecked)";
  }
  const Verdict verdict = judged(duet);
  CHECK(verdict.outcome == VerdictOutcome::invalid);
  CHECK(verdict_exit_code(verdict.outcome) == 4);
  CHECK_THAT(reasons(verdict), Contains(expected));
}

TEST_CASE("what is allowed to differ does not make it invalid") {
  Duet duet = sample_duet({});
  SECTION("the sink's options alone") {
    duet.b.sink.label = "file:mode=mmap";
    duet.b.sink.options = {{"mode", "mmap"}};
  }
  SECTION("the revision alone, with the sink's default written out") {
    duet.b.build.revision = "fedcba";
    duet.a.sink.options = {{"mode", "write"}};
    duet.b.sink.options = {{"mode", "write"}};
    duet.b.sink.label = "file:mode=write";
  }
  SECTION("the build alone, with another compiler and flags") {
    duet.b.build.revision = "fedcba";
    duet.b.build.compiler = "Clang 16";
    duet.b.build.flags = "-O2";
    CHECK_THAT(remarks(judged(duet)), Contains("the builds differ in its flags: A '-O3', B '-O2'"));
  }
  SECTION("a rate missed in a tenth of the rounds") {
    for (std::size_t i = 0; i < 5; ++i) duet.rounds[10 * i].a.rate_missed = true;
  }
  SECTION("an interrupted round") {
    duet.rounds[40].b.outcome = TrialOutcome::interrupted;
  }
  CHECK(judged(duet).outcome == VerdictOutcome::pass);
}

TEST_CASE("uncommitted changes where the policy allows them are remarked on") {
  Duet duet = sample_duet({});
  duet.b.build.dirty = true;
  duet.a.build.dirty = true;
  Policy policy = default_policy();
  policy.allow_dirty_builds = true;
  const Verdict verdict = judged(duet, policy);
  CHECK(verdict.outcome == VerdictOutcome::pass);
  CHECK_THAT(remarks(verdict), Contains("uncommitted changes"));
}

TEST_CASE("one lost event or crash of B alone fails") {
  Duet duet = sample_duet({});
  SECTION("a loss") {
    duet.rounds[49].b.ledger.lost = 1;
    const Verdict verdict = judged(duet);
    CHECK(verdict.outcome == VerdictOutcome::fail);
    CHECK_THAT(reasons(verdict), Contains("side B lost 1 events in 1 rounds; side A lost none"));
  }
  SECTION("a crash") {
    duet.rounds[2].b.outcome = TrialOutcome::crashed;
    CHECK(judged(duet).outcome == VerdictOutcome::fail);
  }
  SECTION("events that could not be read back") {
    duet.rounds[2].b.outcome = TrialOutcome::unchecked;
    duet.rounds[2].b.ledger.checked = false;
    CHECK(judged(duet).outcome == VerdictOutcome::fail);
  }
  SECTION("a crash in every round") {
    for (DuetRound& round : duet.rounds) round.b.outcome = TrialOutcome::hung;
    CHECK(judged(duet).outcome == VerdictOutcome::fail);
  }
  SECTION("a loss of A alone does not") {
    duet.rounds[49].a.ledger.lost = 1;
    const Verdict verdict = judged(duet);
    CHECK(verdict.outcome == VerdictOutcome::pass);
    CHECK_THAT(remarks(verdict), Contains("side A lost 1 events, side B none"));
  }
}

TEST_CASE("where both sides lose events they are compared as rates") {
  Duet duet = sample_duet({});
  std::mt19937_64 random(2);
  std::poisson_distribution<std::uint64_t> some(20);
  for (DuetRound& round : duet.rounds) {
    round.a.ledger.lost = some(random);
    round.b.ledger.lost = some(random);
  }
  const Verdict same = judged(duet);
  INFO(reasons(same));
  CHECK(same.outcome == VerdictOutcome::pass);
  CHECK_THAT(remarks(same), Contains("both sides lost events"));
  for (DuetRound& round : duet.rounds) {
    round.a.ledger.lost = 0;
    round.b.ledger.lost = 200;
  }
  duet.rounds[3].a.ledger.lost = 1;
  const Verdict more = judged(duet);
  CHECK(more.outcome == VerdictOutcome::fail);
  CHECK_THAT(reasons(more), Contains("events_lost changed by +200"));
  for (DuetRound& round : duet.rounds) {
    round.a.ledger.lost = 1000;
    round.b.ledger.lost = 10'000;
  }
  CHECK(judged(duet).outcome == VerdictOutcome::fail);
}

TEST_CASE("a side B that misses the rate which A holds fails, rare or not") {
  Duet duet = sample_duet({});
  for (std::size_t i = 0; i < duet.rounds.size(); i += 2) duet.rounds[i].b.rate_missed = true;
  const Verdict verdict = judged(duet);
  INFO(reasons(verdict));
  CHECK(verdict.outcome == VerdictOutcome::fail);
  CHECK(metric_of(verdict, "rate_missed").decision == MetricOutcome::fail);
  Policy policy = default_policy();
  policy.settings.push_back({{}, {{.metric = "rate_missed", .gate = false}}});
  CHECK(judged(duet, policy).outcome == VerdictOutcome::invalid);
}

// 100 ms of stall once in ten rounds: 10 ms lost in 20,000 calls.
TEST_CASE("a rare long stall does not pass") {
  Duet duet = sample_duet({});
  for (std::size_t i = 7; i < duet.rounds.size(); i += 10) {
    duet.rounds[i].b.over_100us = duet.rounds[i].b.over_1ms = 1;
    duet.rounds[i].b.stalled_ns = 100'000'000;
  }
  const Verdict verdict = judged(duet);
  CHECK(verdict.outcome != VerdictOutcome::pass);
  CHECK(metric_of(verdict, "stalled_ms").effect == Approx(10));
  CHECK(metric_of(verdict, "stalled_ms").decision == MetricOutcome::undecided);
  for (std::size_t i = 0; i < duet.rounds.size(); i += 2) {
    duet.rounds[i].b.over_1ms = 1;
    duet.rounds[i].b.stalled_ns = 100'000'000;
  }
  CHECK(judged(duet).outcome == VerdictOutcome::fail);
}

TEST_CASE("what the order of the start makes of processor time does not hide a change") {
  SampleDuet sample;
  sample.cpu = 1.1;
  Duet duet = sample_duet(sample);
  std::mt19937_64 random(5);
  for (DuetRound& round : duet.rounds) {
    round.a_started_first = random() >> 63 != 0;
    round.a_made_first = random() >> 63 != 0;
    DuetSide& first = round.a_started_first ? round.a : round.b;
    *first.cpu_ns += (*first.cpu_ns - first.spun_ns) * 3 / 10;
  }
  const MetricJudgement adjusted = metric_of(judged(duet), "cpu_ns_per_event");
  CHECK(adjusted.decision == MetricOutcome::fail);
  std::swap(duet.rounds[0].a, duet.rounds[0].b);  // one exchanged round does not undo that
  for (DuetRound& round : duet.rounds) round.a_started_first = random() >> 63 != 0;
  CHECK(metric_of(judged(duet), "cpu_ns_per_event").p_within > adjusted.p_within);
}

// 20,000 calls a round, 50 rounds: a thousand calls beyond p99.9. At 1000 calls a round
// there are 50, and finding a doubling over 30 % needs 135.
TEST_CASE("a quantile with too few calls beyond it is reported only") {
  Duet duet = sample_duet({});
  const MetricJudgement many = metric_of(judged(duet), "response_ns_p99_9");
  CHECK(many.decision == MetricOutcome::pass);
  CHECK(*many.tail_samples == 1000);
  CHECK(*many.tail_samples_needed == 135);
  for (DuetRound& round : duet.rounds) {
    round.a.events = 1000;
    round.b.events = 1000;
  }
  const MetricJudgement few = metric_of(judged(duet), "response_ns_p99_9");
  CHECK(few.decision == MetricOutcome::reported);
  CHECK(*few.tail_samples == 50);
  CHECK_THAT(few.reason, Contains("50 calls beyond it in 50 rounds, 135 needed"));
}

TEST_CASE("a round without a metric is left out for it, and a metric in no round is not gated") {
  SampleDuet sample;
  sample.cpu = 1.1;
  Duet duet = sample_duet(sample);
  duet.rounds[7].a.cpu_ns.reset();
  CHECK(metric_of(judged(duet), "cpu_ns_per_event").decision == MetricOutcome::fail);
  for (DuetRound& round : duet.rounds) {
    round.a.cpu_ns.reset();
    round.b.cpu_ns.reset();
  }
  const Verdict verdict = judged(duet);
  CHECK(verdict.outcome == VerdictOutcome::pass);
  CHECK(metric_of(verdict, "cpu_ns_per_event").decision == MetricOutcome::unmeasured);
  CHECK_THAT(remarks(verdict), Contains("cpu_ns_per_event is not gated"));
}

TEST_CASE("without anything to gate there is no verdict") {
  Duet duet = sample_duet({});
  duet.rounds.clear();
  const Verdict verdict = judged(duet);
  CHECK(verdict.outcome == VerdictOutcome::invalid);
  CHECK_THAT(reasons(verdict), Contains("no metric could be gated"));
}

// 64 KiB are 8.2 % of 800,000 bytes, and 0.8 % of 8 MB, where the 5 % count.
TEST_CASE("small memories have a margin in bytes") {
  Duet duet = sample_duet({});
  CHECK(metric_of(judged(duet), "rss_bytes").margin == 0.05);
  for (DuetRound& round : duet.rounds) {
    round.a.rss_bytes = 800'000;
    round.b.rss_bytes = 850'000;
  }
  const MetricJudgement small = metric_of(judged(duet), "rss_bytes");
  CHECK(small.margin == Approx(65'536.0 / 825'000));
  CHECK(small.decision == MetricOutcome::pass);
}

// Poisson counts of mean 16 in 20,000 calls on both sides, then 16 more on one, then none on the
// other.
TEST_CASE("counts that chance alone makes pass, and twice as many fail") {
  Duet duet = sample_duet({});
  std::mt19937_64 random(1);
  std::poisson_distribution<std::uint64_t> calls(16);
  for (DuetRound& round : duet.rounds) {
    round.a.over_100us = calls(random);
    round.b.over_100us = calls(random);
  }
  const MetricJudgement equal = metric_of(judged(duet), "calls_over_100us");
  CHECK(equal.margin == Approx(2 + 0.25 * 16).epsilon(0.05));
  CHECK(equal.median_a == Approx(16).epsilon(0.1));
  CHECK(equal.decision == MetricOutcome::pass);
  for (DuetRound& round : duet.rounds) round.b.over_100us += 16;
  const MetricJudgement doubled = metric_of(judged(duet), "calls_over_100us");
  CHECK(doubled.margin == Approx(2 + 0.25 * 16).epsilon(0.05));
  CHECK(doubled.decision == MetricOutcome::fail);
  for (DuetRound& round : duet.rounds) round.a.over_100us = 0;
  CHECK(metric_of(judged(duet), "calls_over_100us").margin == 2);
}

Waiver waiver_of(double low, double high) {
  Waiver waiver;
  waiver.metric = "response_ns_p50";
  waiver.low = low;
  waiver.high = high;
  waiver.commit = "4f2a9c1";
  waiver.reason = "checksums";
  waiver.expires = "2026-12-31";
  return waiver;
}

TEST_CASE("a waived change is held against what was agreed on") {
  SampleDuet sample;
  sample.all = 1.10;
  Policy policy = default_policy();
  policy.settings.push_back({{},
                             {{.metric = "response_ns_p90", .gate = false},
                              {.metric = "service_ns_mean", .gate = false},
                              {.metric = "cpu_ns_per_event", .gate = false}}});
  policy.waivers = {waiver_of(0.05, 0.15)};
  policy.waived_commits = {"4f2a9c1"};
  const Verdict agreed = judged(sample_duet(sample), policy);
  INFO(reasons(agreed));
  CHECK(agreed.outcome == VerdictOutcome::pass);
  CHECK_THAT(metric_of(agreed, "response_ns_p50").waiver, Contains("4f2a9c1: checksums"));
  SECTION("more than agreed on fails") {
    sample.all = 1.25;
    const Verdict more = judged(sample_duet(sample), policy);
    CHECK(more.outcome == VerdictOutcome::fail);
    CHECK_THAT(reasons(more), Contains("beyond what the waiver agreed on"));
  }
  SECTION("less is remarked on") {
    sample.all = 1;
    const Verdict less = judged(sample_duet(sample), policy);
    CHECK(less.outcome == VerdictOutcome::pass);
    CHECK_THAT(remarks(less), Contains("less than its waiver expects"));
  }
  SECTION("a promised improvement that did not come fails") {
    sample.all = 0.95;
    policy.waivers = {waiver_of(-0.3, -0.2)};
    CHECK(judged(sample_duet(sample), policy).outcome == VerdictOutcome::fail);
  }
  SECTION("it does not hold where nothing says that B alone has the commit") {
    policy.waived_commits.clear();
    const Verdict unknown = judged(sample_duet(sample), policy);
    CHECK(unknown.outcome == VerdictOutcome::fail);
    CHECK_THAT(remarks(unknown), Contains("the waiver of 4f2a9c1") && Contains("was not used"));
  }
  SECTION("for another sink it does not hold") {
    policy.waivers[0].scope.sink = "lttng";
    CHECK(judged(sample_duet(sample), policy).outcome == VerdictOutcome::fail);
  }
  SECTION("after its day it does not hold") {
    policy.waivers[0].expires = "2026-05-31";
    const Verdict expired = judged(sample_duet(sample), policy);
    CHECK(expired.outcome == VerdictOutcome::fail);
    CHECK_THAT(remarks(expired), Contains("expired on 2026-05-31"));
  }
}

TEST_CASE("stopping early asks at the looks only") {
  Duet running = sample_duet({});
  running.parts = {DuetPart{}};
  const Policy policy = default_policy();
  Duet duet = running;
  duet.rounds.resize(14);
  CHECK_FALSE(is_decided(duet, policy, kToday));
  duet = running;
  duet.rounds.resize(30);
  CHECK(is_decided(duet, policy, kToday));
  duet = running;
  duet.rounds.resize(31);
  CHECK_FALSE(is_decided(duet, policy, kToday));
  duet = sample_duet({});
  duet.rounds.resize(15);
  duet.rounds[0].a.rate_missed = true;
  duet.rounds[1].a.rate_missed = true;
  CHECK(judged(duet).outcome == VerdictOutcome::invalid);
  CHECK_FALSE(is_decided(duet, policy, kToday));  // 2 of 50 would do
  duet.rounds[0].a.ledger.unaccounted = 1;
  CHECK(is_decided(duet, policy, kToday));
  SampleDuet noisy;
  noisy.spread = 0.25;
  noisy.rounds = 15;
  CHECK_FALSE(is_decided(sample_duet(noisy), policy, kToday));
  running.generation_rounds = 40;  // its rounds are complete together
  running.rounds.resize(30);
  CHECK_FALSE(is_decided(running, policy, kToday));
  CHECK(judged(running).outcome == VerdictOutcome::inconclusive);
}

// Every quantile of B is 1.1 times A's, up to the last with ten calls beyond it.
TEST_CASE("the shifts follow the quantiles") {
  SampleDuet sample;
  sample.all = 1.1;
  sample.spread = 0.001;
  const Verdict verdict = judged(sample_duet(sample));
  REQUIRE(verdict.shifts.size() >= 10);
  CHECK(verdict.shifts.back().quantile == 0.9995);
  for (const QuantileRatio& shift : verdict.shifts) {
    CHECK(shift.ratio == Approx(1.1).margin(0.005));
    CHECK(*shift.low <= *shift.high);
  }
  CHECK(verdict.response_a.count == verdict.rounds_used * 20'000);
  CHECK(verdict.response_b.count == verdict.rounds_used * 20'000);
}

TEST_CASE("several verdicts end with the worst one's exit code") {
  using enum VerdictOutcome;
  const auto code = [](const std::vector<VerdictOutcome>& outcomes) {
    std::vector<Verdict> verdicts;
    for (const VerdictOutcome outcome : outcomes) verdicts.emplace_back().outcome = outcome;
    return verdict_exit_code(verdicts);
  };
  CHECK(code({}) == 0);
  CHECK(code({pass, pass}) == 0);
  CHECK(code({pass, inconclusive}) == 3);
  CHECK(code({inconclusive, invalid, pass}) == 4);
  CHECK(code({invalid, fail, inconclusive}) == 1);
}

TEST_CASE("effects in words") {
  MetricJudgement metric;
  metric.effect_kind = EffectKind::ratio;
  metric.effect = 0.1234;
  CHECK(effect_with_interval(metric) == "+12.3 %");
  metric.effect_low = -0.05;
  metric.effect_high = 1.5;
  CHECK(effect_with_interval(metric) == "+12.3 % (-5.0 % to +150 %)");
  CHECK(effect_text(metric, 27.5) == "x28.5");
  CHECK(effect_cell(metric, -0.25) == "-25.0%");
  metric.effect_kind = EffectKind::difference;
  metric.unit = "per 20k";
  CHECK(effect_text(metric, 0.25) == "+0.25 per 20k");
  CHECK(effect_cell(metric, -12345.6) == "-12346");
}

TEST_CASE("today is a date") {
  const std::string today = today_utc();
  REQUIRE(today.size() == 10);
  CHECK(today > "2025-01-01");
  CHECK(today[4] == '-');
}

}  // namespace
}  // namespace tailgate
