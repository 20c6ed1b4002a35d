#include "harness/gate/policy.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "harness/base/error.h"

namespace tailgate {
namespace {

using Catch::Contains;

Policy parsed(const std::string& text) {
  return parse_policy(text, "p.toml");
}

MetricRule policy_rule(const Policy& policy, const char* metric, const DuetSubject& of) {
  return policy.rule(*find_metric(metric), of);
}

TEST_CASE("an empty policy is the built-in one") {
  const Policy policy = parsed("");
  CHECK(policy.origin == "p.toml");
  CHECK(default_policy().origin == "built in");
  CHECK(policy.looks.rounds == std::vector<std::size_t>{15, 30, 50});
  CHECK(policy.looks.resumed == std::vector<std::size_t>{100, 200});
  CHECK(policy.looks.fail_level() == Approx(0.9 * 0.001 / 3));
  CHECK(policy.looks.pass_level() == Approx(0.9 * 0.05 / 3));
  CHECK(policy.time_budget_s == 120);
  CHECK(policy.most_missed_rounds == 0.1);
  CHECK(policy.explain_s == 30);
  CHECK_FALSE(policy.allow_dirty_builds);
  CHECK(policy_rule(policy, "response_ns_p99", subject_named("steady", "file")).margin == 0.15);
  CHECK_FALSE(policy_rule(policy, "response_ns_max", subject_named("steady", "file")).gate);
  CHECK(policy.runs.empty());
  CHECK(policy.waivers.empty());
}

// An entry without a metric does not parse, so that every case here fails and names its line.
TEST_CASE("every metric has an entry in default_policy.toml") {
  REQUIRE_FALSE(default_policy().settings.empty());
  const ScopedSettings& general = default_policy().settings.front();
  CHECK(general.scope.sink.empty());
  for (const MetricKind& kind : metric_kinds()) {
    const auto entry = std::find_if(general.metrics.begin(), general.metrics.end(),
                                    [&](const auto& entry) { return entry.metric == kind.name; });
    INFO("'" << kind.name << "' of harness/gate/metrics.cpp needs [metrics." << kind.name
             << "] in harness/gate/default_policy.toml, with gate = true or false");
    CHECK((entry != general.metrics.end() && entry->gate.has_value()));
  }
}

TEST_CASE("what the built-in policy says of a sink holds for it alone, and a file overrides it") {
  const char* p99 = "response_ns_p99";
  const Policy& built_in = default_policy();
  CHECK_FALSE(policy_rule(built_in, p99, subject_named("steady", "journald:sync=x")).gate);
  CHECK(policy_rule(built_in, "rss_bytes", subject_named("steady", "journald")).margin == 0.01);
  CHECK(policy_rule(built_in, "rss_bytes", subject_named("steady", "journald")).at_least == 65'536);
  CHECK(policy_rule(built_in, p99, subject_named("steady", "spdlog:mode=async_block:queue=1"))
            .margin == 0.25);
  CHECK(policy_rule(built_in, p99, subject_named("steady", "spdlog")).margin == 0.15);
  CHECK(policy_rule(built_in, "service_ns_p99", subject_named("steady", "lttng")).gate);
  // A file's word for all sinks comes after the built-in ones for some.
  const Policy file = parsed("[metrics.response_ns_p99]\nmargin = 0.2\n");
  CHECK(policy_rule(file, p99, subject_named("steady", "spdlog:mode=async_block")).margin == 0.2);
  CHECK(policy_rule(file, p99, subject_named("steady", "spdlog:mode=async_block")).find == 0.5);
  CHECK_FALSE(policy_rule(file, p99, subject_named("steady", "journald")).gate);
}

TEST_CASE("ci/policy.toml loads, and names what to run") {
  const Policy file = load_policy(std::string(TAILGATE_SOURCE_DIR) + "/ci/policy.toml");
  CHECK_FALSE(file.runs.empty());
  CHECK_FALSE(file.nightly_reference.empty());
}

TEST_CASE("an older policy may name the one method that there is") {
  CHECK_NOTHROW(parsed("[gate]\nmethod = \"looks\"\n"));
}

TEST_CASE("a night may look at other rounds than the gate") {
  const Policy policy = parsed(R"(
[gate]
looks = [10, 150]
time_budget_s = 100
[nightly]
reference = "v1.0"
chain = "pins.toml"
looks = [30, 60, 200]
false_fail = 0.002
time_budget_s = 480
)");
  CHECK(policy.looks.resumed == std::vector<std::size_t>{200});
  const Policy night = policy.of_nights();
  CHECK(night.looks.rounds == std::vector<std::size_t>{30, 60, 200});
  CHECK(night.looks.resumed.empty());
  CHECK(night.looks.fail_level() == Approx(0.002 / 3));
  CHECK(night.time_budget_s == 480);
  CHECK(night.nightly_reference == "v1.0");
  CHECK(night.nightly_chain == "pins.toml");
  CHECK(policy.time_budget_s == 100);
  const Policy same = parsed("[gate]\nlooks = [7]\nfalse_fail = 0.01\n").of_nights();
  CHECK(same.looks.rounds == std::vector<std::size_t>{7});
  CHECK(same.looks.false_fail == 0.01);
  CHECK(same.time_budget_s == 120);
}

TEST_CASE("a night's first look at a sink may be a later one") {
  const Policy policy = parsed(R"(
[nightly]
reference = "v1.0"
looks = [30, 60, 100, 200]
[[nightly.first_look]]
sink = "journald"
rounds = 200
[[nightly.first_look]]
scenario = "burst"
rounds = 61
)");
  const auto looks = [&](const Policy& of, const char* sink, const char* scenario,
                         unsigned generation = 0) {
    return of.looks_at(subject_named(scenario, sink), generation).rounds;
  };
  using Rounds = std::vector<std::size_t>;
  const Policy night = policy.of_nights();
  CHECK(looks(night, "journald", "steady") == Rounds{200});
  CHECK(looks(night, "journald", "burst") == Rounds{200});
  CHECK(looks(night, "file", "burst") == Rounds{100, 200});
  CHECK(looks(night, "file", "steady") == Rounds{30, 60, 100, 200});
  CHECK(looks(night, "file", "steady", 60) == Rounds{60, 100, 200});
  CHECK(looks(policy, "journald", "steady") == policy.looks.rounds);
}

TEST_CASE("every key is read") {
  const Policy policy = parsed(R"(
[gate]
method = "looks"
looks = [10, 20]
resumed_looks = [30]
resumed_share = 0.2
false_fail = 0.01
false_pass = 0.1
time_budget_s = 60
most_missed_rounds = 0
allow_dirty_builds = true
explain_s = 0
[metrics.calls_over_1ms]
margin = 1
more = 2.5
[metrics.response_ns_max]
gate = true
margin = 2.5
[nightly]
reference = "v1.0"
[[run]]
scenario = "steady"
sinks = ["file", "null"]
set = { rate_hz = 1_000, pacing = "spin", x = 0.5, y = true }
nightly = true
generation_rounds = 60
)");
  CHECK(policy.looks.rounds == std::vector<std::size_t>{10, 20});
  CHECK(policy.looks.fail_level() == Approx(0.004));
  CHECK(policy.looks.all().back().fail_level == Approx(0.002));
  CHECK(policy.time_budget_s == 60);
  CHECK(policy.most_missed_rounds == 0);
  CHECK(policy.explain_s == 0);
  CHECK(policy.allow_dirty_builds);
  CHECK(policy_rule(policy, "calls_over_1ms", {}).margin == 1);
  CHECK(policy_rule(policy, "calls_over_1ms", {}).more == 2.5);
  CHECK(policy_rule(policy, "response_ns_max", {}).gate);
  CHECK(policy_rule(policy, "response_ns_max", {}).margin == 2.5);
  CHECK(policy.nightly_reference == "v1.0");
  REQUIRE(policy.runs.size() == 1);
  CHECK(policy.runs[0].sinks == std::vector<std::string>{"file", "null"});
  CHECK(policy.runs[0].nightly);
  CHECK(policy.runs[0].generation_rounds == 60u);
  CHECK(policy.runs[0].set ==
        std::vector<std::string>{"pacing=spin", "rate_hz=1000", "x=0.5", "y=true"});
}

TEST_CASE("a scope with an option has what the scopes of its sink say") {
  const Policy policy = parsed(R"(
[[scoped]]
sink = "spdlog"
metrics.response_ns_max = { margin = 0.5 }
[[scoped]]
sink = "spdlog:mode=async_block"
metrics.response_ns_max = { gate = true }
)");
  const MetricRule rule =
      policy_rule(policy, "response_ns_max", subject_named("steady", "spdlog:mode=async_block"));
  CHECK(rule.gate);
  CHECK(rule.margin == 0.5);
}

TEST_CASE("settings for a scenario and a sink hold there alone") {
  const Policy policy = parsed(R"(
[metrics.response_ns_p99]
margin = 0.2
find = 0.5
[[scoped]]
sink = "journald"
metrics.response_ns_p99 = { margin = 0.3 }
[[scoped]]
scenario = "burst-1k"
metrics.response_ns_p99.gate = false
[[scoped]]
sink = "file:mode=mmap"
metrics.rss_bytes = { gate = false }
)");
  const char* p99 = "response_ns_p99";
  CHECK(policy_rule(policy, p99, subject_named("steady", "file")).margin == 0.2);
  CHECK(policy_rule(policy, p99, subject_named("steady", "journald:sync=x")).margin == 0.3);
  CHECK(policy_rule(policy, p99, subject_named("steady", "spdlog:mode=async_block")).margin == 0.2);
  CHECK(policy_rule(policy, p99, subject_named("steady", "journald")).find == 0.5);
  CHECK_FALSE(policy_rule(policy, p99, subject_named("burst-1k", "journald")).gate);
  DuetSubject preset = subject_named("burst", "file");
  preset.scenario.preset = "burst-1k";
  CHECK_FALSE(policy_rule(policy, p99, preset).gate);
  CHECK(policy_rule(policy, "rss_bytes", subject_named("steady", "file")).gate);
  CHECK_FALSE(policy_rule(policy, "rss_bytes", subject_named("steady", "file:mode=mmap")).gate);
  CHECK_FALSE(
      policy_rule(policy, "rss_bytes", subject_named("steady", "file:mode=mmap:dir=x")).gate);
  CHECK(policy_rule(policy, "rss_bytes", subject_named("steady", "file:mode=mmapped")).gate);
}

TEST_CASE("the spread of layouts holds for all sinks or for one, without metrics") {
  const Policy policy = parsed(R"(
[gate]
layout_spread = 0.02
[[scoped]]
sink = "journald"
layout_spread = 0.05
)");
  CHECK(policy.layout_spread(subject_named("steady", "file")) == 0.02);
  CHECK(policy.layout_spread(subject_named("steady", "journald")) == 0.05);
  const DuetSubject spdlog = subject_named("steady", "spdlog:mode=async_block");
  CHECK(default_policy().layout_spread(spdlog) > default_policy().layout_spread({}));
}

TEST_CASE("waivers are for their scope, of several the last") {
  const Policy policy = parsed(R"(
[[waiver]]
metric = "response_ns_p50"
ratio = [1.05, 1.15]
commit = "aaaaaaa"
reason = "checksums"
expires = 2026-06-30
[[waiver]]
metric = "response_ns_p50"
sink = "file"
ratio = [0.8, 1.3]
commit = "bbbbbbb"
reason = "larger header"
expires = 2026-05-31
[[waiver]]
metric = "calls_blocked"
difference = [-1, 3]
commit = "ccccccc"
reason = "waits for the disk"
expires = 2030-01-01
)");
  const auto commit = [&](const char* metric, const char* sink) {
    const Waiver* waiver = policy.waiver(metric, subject_named("steady", sink));
    return waiver == nullptr ? std::string() : waiver->commit;
  };
  CHECK(commit("response_ns_p50", "file") == "bbbbbbb");
  CHECK(commit("response_ns_p50", "lttng") == "aaaaaaa");
  CHECK(commit("response_ns_p90", "file").empty());
  CHECK(policy.waivers[0].expires == "2026-06-30");
  CHECK(policy.waivers[0].low == Approx(0.05));
  CHECK(policy.waivers[1].high == Approx(0.3));
  CHECK(policy.waivers[2].low == -1);
  CHECK(policy.waivers[2].high == 3);
}

constexpr const char* kWaiver = "[[waiver]]\nmetric = \"response_ns_p50\"\n";

TEST_CASE("what does not fit is refused with file, line, key, value and remedy") {
  struct Row {
    std::string text;
    std::string where;
    std::string what;
    std::string remedy;
  };
  const Row row = GENERATE(
      Row{"gate = {", "p.toml:1", "", "correct the TOML"},
      Row{"[gates]", "p.toml:1", "unknown key 'gates'", "did you mean 'gate'?"},
      Row{"\n[gate]\nlook = [1]", "p.toml:3", "unknown key 'look'", "did you mean 'looks'?"},
      Row{"[gate]\nlooks = 5", "p.toml:2", "looks is not a list", "looks = [15"},
      Row{"[gate]\nlooks = []", "p.toml:2", "looks is not a list", "looks = [15"},
      Row{"[gate]\nresumed_looks = [50]", "p.toml:2", "look 50 does not come after 50",
          "resumed_looks = [100, 200]"},
      Row{"[gate]\nresumed_share = 0", "p.toml:2", "resumed_share", "give a value"},
      Row{"[nightly]\nreference = \"x\"\n[[nightly.first_look]]\nrounds = 30", "p.toml:3",
          "for no sink and no scenario", "leave early ones out of looks"},
      Row{"[nightly]\nreference = \"x\"\n[[nightly.first_look]]\nsink = \"file\"\nrounds = 1000",
          "p.toml:5", "rounds = 1000 is not from 1 to 50", ""},
      Row{"[nightly]\nreference = \"x\"\nlooks = [9, 8]", "p.toml:3", "look 8 does not come",
          "looks = [15"},
      Row{"[gate]\nlooks = [5, 5]", "p.toml:2", "look 5 does not come after 5", "looks = [15"},
      Row{"[gate]\nlooks = [0]", "p.toml:2", "from 1 to 1000", "looks = [15"},
      Row{"[gate]\nlooks = [1e3]", "p.toml:2", "whole number", "looks = [15"},
      Row{"[gate]\nmethod = \"look\"", "p.toml:2", "no method 'look'", "'looks'"},
      Row{"[gate]\nmethod = \"anytime\"", "p.toml:2", "the method 'anytime' is gone",
          "remove the line"},
      Row{"[gate]\nfalse_fail = 2", "p.toml:2", "false_fail = 2 is not from", "within"},
      Row{"[gate]\nfalse_fail = \"x\"", "p.toml:2", "false_fail is not a number", "give one from"},
      Row{"[gate]\nfalse_fail = nan", "p.toml:2", "false_fail = nan", "within"},
      Row{"[gate]\nfalse_fail = 0.0001", "p.toml:1", "finer than 16384 sign patterns",
          "at least 0.0002"},
      Row{"[gate]\nexplain_s = -1", "p.toml:2", "explain_s = -1 is not from 0", "within"},
      Row{"[gate]\nallow_dirty_builds = 1", "p.toml:2", "not true or false", "write true"},
      Row{"gate = 3", "p.toml:1", "gate is not a table", "write [gate]"},
      Row{"[metrics.response_p99]\nmargin = 1", "p.toml:1", "there is no metric 'response_p99'",
          "did you mean 'response_ns_p99'?"},
      Row{"[metrics]\nrss_bytes = 0.1", "p.toml:2", "metrics.rss_bytes is not a table",
          "[metrics.rss_bytes]"},
      Row{"[metrics.rss_bytes]\nmargin = -0.1", "p.toml:2", "margin = -0.1 is not from 0",
          "within"},
      Row{"[metrics.rss_bytes]\nmargin = true", "p.toml:2", "margin is not a number", "give one"},
      Row{"[metrics.rss_bytes]\nmargin = 0", "p.toml:1", "rss_bytes is gated with a margin of 0",
          "gate = false"},
      Row{"[metrics.rss_bytes]\nfind = 1", "p.toml:1", "metrics.rss_bytes has no 'find'",
          "only quantiles"},
      Row{"[metrics.calls_blocked]\nat_least = 1", "p.toml:1", "has no 'at_least'", "only ratios"},
      Row{"[metrics.response_ns_p50]\nmore = 1", "p.toml:1", "has no 'more'", "counts"},
      Row{"[metrics.calls_over_1ms]\nchance = 1", "p.toml:2", "'chance' is gone", "'more'"},
      Row{"[metrics.response_ns_p50]\nmargin = 0.2", "p.toml:1",
          "find = 0.1 is not above the margin 0.2", "larger change to find"},
      Row{"[[scoped]]\nsink = \"file\"", "p.toml:1", "it sets no metrics", "[scoped.metrics.NAME]"},
      Row{"[scoped]\nsink = \"file\"", "p.toml:1", "scoped is not a list", "[[scoped]]"},
      Row{"[gate]\nlayout_spread = 1.5", "p.toml:2", "layout_spread = 1.5 is not from 0", "within"},
      Row{"waiver = [1]", "p.toml:1", "waiver is not a table", "[[waiver]]"},
      Row{kWaiver, "p.toml:1", "'ratio' is missing", "[low, high]"},
      Row{std::string(kWaiver) + "ratio = [1.2, 1.1]", "p.toml:3", "not below the second",
          "[low, high]"},
      Row{std::string(kWaiver) + "ratio = [0, 1.1]", "p.toml:3", "ratio = 0 is not from", "within"},
      Row{std::string(kWaiver) + "ratio = [1]", "p.toml:3", "two numbers", "[low, high]"},
      Row{std::string(kWaiver) + "difference = [1, 2]", "p.toml:3", "judged by its ratio",
          "ratio = [low, high]"},
      Row{std::string(kWaiver) + "ratio = [1, 2]", "p.toml:1", "'commit' is missing", "add commit"},
      Row{std::string(kWaiver) + "ratio = [1, 2]\ncommit = \"v1.0\"", "p.toml:4",
          "'v1.0' is not a commit's hash", "7 to 40"},
      Row{std::string(kWaiver) + "ratio = [1, 2]\ncommit = \"aaaaaaa\"", "p.toml:1",
          "'reason' is missing", "add reason"},
      Row{std::string(kWaiver) + "ratio = [1, 2]\ncommit = \"aaaaaaa\"\nreason = \"\"", "p.toml:5",
          "reason is empty", "say what it is"},
      Row{std::string(kWaiver) +
              "ratio = [1, 2]\ncommit = \"aaaaaaa\"\nreason = \"b\"\nexpires = \"2027-01-31\"",
          "p.toml:6", "expires is not a date", "without quotes"},
      Row{"[[run]]\nscenario = \"steady\"", "p.toml:1", "'sinks' is missing", "a list of sinks"},
      Row{"[[run]]\nscenario = \"steady\"\nsinks = []", "p.toml:3", "not a list of sinks",
          "sinks = ["},
      Row{"[[run]]\nscenario = \"s\"\nsinks = [\"a\", \"b\"]\n[[run]]\nscenario = \"s\"\n"
          "sinks = [\"b\"]",
          "p.toml:4", "'s' with 'b' is named twice", "other settings"},
      Row{"[[run]]\nscenario = \"s\"\nsinks = [\"a\"]\nset = { x = [1] }", "p.toml:4",
          "x is neither", "one of these"},
      Row{"[nightly]\nref = \"x\"", "p.toml:2", "unknown key 'ref'", "reference"});
  INFO(row.text);
  try {
    parsed(row.text);
    FAIL("was accepted");
  } catch (const Error& error) {
    CHECK_THAT(error.what_failed(), Catch::StartsWith(row.where));
    CHECK_THAT(error.what_failed(), Contains(row.what));
    CHECK_THAT(error.remedy(), Contains(row.remedy));
  }
}

TEST_CASE("a policy that cannot be read is refused") {
  CHECK_THROWS_WITH(load_policy("none/policy.toml"), Contains("cannot read the policy"));
}

}  // namespace
}  // namespace tailgate
