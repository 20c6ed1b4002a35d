#include "harness/gate/pin_chain.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "harness/base/error.h"
#include "harness/gate/gate.h"
#include "harness/result/sample_duet.h"

namespace tailgate {
namespace {

using Catch::Contains;

const PinDuet kDuet = {"m1", "steady", "file", "rate_hz=20000"};

PinLink link(const std::string& from, const std::string& to, double ratio, double width = 0.004) {
  return {.from = from,
          .to = to,
          .date = "2026-10-0" + to.substr(1),
          .duet = kDuet,
          .rounds = 30,
          .ratios = {{"response_ns_p50", ratio, ratio * (1 - width), ratio * (1 + width), ""}}};
}

// A night whose head has `slower` times the pin's response times.
Verdict night(const PinHistory& history, double slower) {
  SampleDuet sample;
  sample.all = slower;
  sample.spread = 0.005;
  Policy policy = default_policy();
  policy.history = history;
  return judge(sample_duet(sample), policy, "2026-11-25");
}

const MetricJudgement& p50(const Verdict& verdict) {
  for (const MetricJudgement& metric : verdict.metrics) {
    if (metric.name == "response_ns_p50") return metric;
  }
  FAIL("no p50");
  throw;
}

std::string chain_remarks(const Verdict& verdict) {
  std::string text;
  for (const Remark& remark : verdict.remarks) text += remark.what + "\n";
  return text;
}

// Each step of 3 % is within the margin of 5 %, two together are not.
TEST_CASE("of five moves by three percent, each of which passes alone, the second night fails") {
  CHECK(night({}, 1.03).outcome == VerdictOutcome::pass);
  PinChain chain;
  for (int move = 1; move <= 5; ++move) {
    const std::string pin = "r" + std::to_string(move);
    chain.add(link("r" + std::to_string(move - 1), pin, 1.03));
    const PinHistory history = chain.history(pin, kDuet);
    CHECK(history.first == "r0");
    CHECK(history.moved == "2026-10-01");
    REQUIRE(history.spent.size() == 1);
    CHECK(history.spent[0].log_ratio == Approx(move * std::log(1.03)));
    CHECK(history.spent[0].log_error ==
          Approx(std::sqrt(move) * (std::log(1.004) - std::log(0.996)) / 3.92));
    const Verdict next = night(history, 1.03);
    CHECK(next.outcome == VerdictOutcome::fail);
    CHECK(p50(next).decision == MetricOutcome::fail);
    CHECK(*p50(next).before_pin == Approx(std::pow(1.03, move) - 1));
    CHECK_THAT(next.reasons.at(0).what, Contains("since the first pin"));
  }
  CHECK_THAT(chain_remarks(night(chain.history("r1", kDuet), 1.03)),
             Contains("since the first pin (r0, until 2026-10-01): response_ns_p50 +6.") &&
                 Contains("of which +3.0 % before this pin"));
}

TEST_CASE("one move within the margin lets a night without a change pass") {
  const PinChain chain({link("r0", "r1", 1.02)});
  CHECK(night(chain.history("r1", kDuet), 1).outcome == VerdictOutcome::pass);
}

TEST_CASE("moves beyond the margin fail the nights after them until they are accepted") {
  PinLink first = link("r0", "r1", 1.04);
  const PinLink second = link("r1", "r2", 1.04);
  CHECK(night(PinChain({first, second}).history("r2", kDuet), 1).outcome == VerdictOutcome::fail);
  first.ratios[0].accepted = "events carry a checksum";
  const PinHistory history = PinChain({first, second}).history("r2", kDuet);
  CHECK(history.spent[0].log_ratio == Approx(std::log(1.04)));
  CHECK(night(history, 1).outcome == VerdictOutcome::pass);
}

TEST_CASE("a chain that is uncertain neither fails nor passes") {
  const PinChain chain({link("r0", "r1", 1.06, 0.05)});
  CHECK(p50(night(chain.history("r1", kDuet), 1)).decision == MetricOutcome::undecided);
}

TEST_CASE("what became better gives no more margin") {
  const PinChain chain({link("r0", "r1", 0.8)});
  CHECK(night(chain.history("r1", kDuet), 1.10).outcome == VerdictOutcome::fail);
  CHECK(night(chain.history("r1", kDuet), 1.0).outcome == VerdictOutcome::pass);
}

TEST_CASE("what was not measured is said and counts nothing") {
  PinLink elsewhere = link("r1", "r2", 1.03);
  elsewhere.duet.machine = "m2";
  const PinChain chain({link("r0", "r1", 1.03), elsewhere});
  const PinHistory history = chain.history("r2", kDuet);
  CHECK(history.first == "r0");
  CHECK(history.spent.at(0).log_ratio == Approx(std::log(1.03)));
  REQUIRE(history.gaps.size() == 1);
  CHECK_THAT(history.gaps[0], Contains("from r1 to r2") && Contains("m1"));
  CHECK_THAT(chain_remarks(night(history, 1)), Contains("from r1 to r2"));
  CHECK(chain.history("r9", kDuet).first.empty());
  PinLink more = link("r0", "r1", 1.03);
  more.ratios.push_back({"rss_bytes", 1, 1, 1, ""});
  const PinHistory partly = PinChain({more, link("r1", "r2", 1.0)}).history("r2", kDuet);
  REQUIRE(partly.gaps.size() == 1);
  CHECK_THAT(partly.gaps[0], Contains("rss_bytes was measured by 1 of 2 moves"));
}

TEST_CASE("a move that is measured again replaces what was measured") {
  PinChain chain({link("r0", "r1", 1.03)});
  chain.add(link("r0", "r1", 1.01));
  CHECK(chain.links().size() == 1);
  CHECK_THROWS_AS(chain.add(link("r9", "r1", 1.0)), Error);
  CHECK_THROWS_AS(chain.add(link("r1", "r0", 1.0)), Error);
  CHECK(chain.links().size() == 1);
}

TEST_CASE("a chain's file is read back as it was written") {
  PinLink odd = link("r0", "r1", 1.0 / 3);
  odd.duet.scenario = "a \"quoted\" name\\\n";
  odd.ratios[0].accepted = "why";
  const PinChain chain({odd, link("r1", "r2", 1.5)});
  const std::string text = pin_chain_text(chain);
  const PinChain back = parse_pin_chain(text, "p.toml");
  CHECK(pin_chain_text(back) == text);
  REQUIRE(back.links().size() == 2);
  CHECK(back.links()[0].duet == odd.duet);
  CHECK(back.links()[0].ratios[0].ratio == odd.ratios[0].ratio);
  CHECK(load_pin_chain("no-such-file.toml").links().empty());
}

TEST_CASE("a chain's file that does not fit is refused with its line") {
  const std::string head =
      "[[link]]\nfrom = \"a\"\nto = \"b\"\nmachine = \"m\"\nscenario = \"s\"\nrounds = 9\n";
  const auto refused = [](const std::string& text) -> std::string {
    try {
      parse_pin_chain(text, "p.toml");
    } catch (const Error& error) {
      return error.what_failed();
    }
    return "";
  };
  CHECK_THAT(refused(head), Contains("date"));
  CHECK_THAT(refused(head + "date = \"x\"\n"), Contains("p.toml:7") && Contains("not a date"));
  const std::string link = head + "date = 2026-10-01\n[[link.metric]]\nname = \"x\"\n";
  CHECK_THAT(refused(link + "ratio = [1, 2]\n"), Contains("three numbers"));
  CHECK_THAT(refused(link + "ratio = [3, 1, 2]\n"), Contains("in its interval"));
  CHECK_THAT(refused(link + "ratio = [0, 0, 0]\n"), Contains("p.toml:10"));
  CHECK_THAT(refused("[[links]]\n"), Contains("links"));
  CHECK_THAT(refused(head + "date = 2026-10-01\n[[link]]\nfrom = \"b\"\nto = \"a\"\n"
                            "machine = \"m\"\nscenario = \"s\"\nrounds = 9\ndate = 2026-10-01\n"),
             Contains("before itself"));
}

}  // namespace
}  // namespace tailgate
