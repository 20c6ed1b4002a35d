#include "harness/gate/class_margins.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <string>

#include "harness/base/error.h"
#include "harness/base/testing/test_directory.h"
#include "harness/gate/gate.h"
#include "harness/result/sample_duet.h"

namespace tailgate {
namespace {

using Catch::Contains;

constexpr const char* kClass = R"(
machines = ["aa11", "abcdef012345"]

[[margin]]
sink = "file"
load = "steady rate_hz=20000"
metric = "response_ns_p50"
margin = 0.02
finds = 0.036

[[margin]]
sink = "file"
load = "steady rate_hz=20000"
metric = "service_ns_p99"
margin = 0.12

[[margin]]
sink = "file"
load = "steady rate_hz=20000"
metric = "rss_bytes"
margin = 0.4
)";

DuetSubject subject(const std::string& sink, const std::string& rate_hz) {
  DuetSubject subject = subject_named("steady", sink);
  subject.scenario.options = {{"rate_hz", rate_hz}, {"threads", "1"}, {"payload", "128"}};
  return subject;
}

Policy with_class() {
  Policy policy = default_policy();
  policy.classes = {parse_machine_class(kClass, "x.toml")};
  return policy;
}

MetricRule rule(const Policy& policy, const char* metric, const DuetSubject& subject,
                const char* machine = "aa11") {
  return with_class_margins(policy, machine, subject).rule(*find_metric(metric), subject);
}

TEST_CASE("the smaller one of the policy's and the class's margin holds") {
  const DuetSubject file = subject("file", "20000");
  const MetricRule median = rule(with_class(), "response_ns_p50", file);
  CHECK(median.margin == 0.02);
  CHECK(median.find == 0.1);
  CHECK(median.margin_from == "x.toml");
  const MetricRule memory = rule(with_class(), "rss_bytes", file);
  CHECK(memory.margin == 0.05);
  CHECK(memory.at_least == 65'536);
  CHECK(memory.margin_from.empty());
}

TEST_CASE("a class gates what the policy leaves to it, within the policy's margin") {
  const DuetSubject file = subject("file", "20000");
  CHECK_FALSE(default_policy().rule(*find_metric("service_ns_p99"), file).gate);
  CHECK(rule(with_class(), "service_ns_p99", file).gate);
  CHECK(rule(with_class(), "service_ns_p99", file).margin == 0.12);
  Policy narrow = with_class();
  narrow.settings.push_back({{}, {{.metric = "service_ns_p99", .margin = 0.1}}});
  CHECK_FALSE(rule(narrow, "service_ns_p99", file).gate);
  narrow.settings.push_back(
      {{}, {{.metric = "service_ns_p99", .margin = 0.2, .class_gate = false}}});
  CHECK_FALSE(rule(narrow, "service_ns_p99", file).gate);
}

TEST_CASE("other machines, sinks and loads have the policy's margins") {
  const auto margin = [](const DuetSubject& subject, const char* machine) {
    return rule(with_class(), "response_ns_p50", subject, machine).margin;
  };
  CHECK(margin(subject("file", "20000"), "aa11") == 0.02);
  CHECK(margin(subject("file", "20000"), "cc33") == 0.05);
  CHECK(margin(subject("file", "10000"), "aa11") == 0.05);
  CHECK(margin(subject("file:mode=mmap", "20000"), "aa11") == 0.05);
  DuetSubject threads = subject("file", "20000");
  threads.scenario.options[1].value = "4";
  CHECK(load_text(threads) == "steady rate_hz=20000 threads=4");
  CHECK(margin(threads, "aa11") == 0.05);
}

// Side B is 3 % slower: within the policy's 5 %, beyond the class's 2 %.
TEST_CASE("a verdict is by the class's margin and says so, and a waiver stands above it") {
  SampleDuet slower;
  slower.rounds = 50;
  slower.all = 1.03;
  Duet duet = sample_duet(slower);
  duet.a.sink.label = duet.b.sink.label = "file";
  for (DuetSubject* side : {&duet.a, &duet.b}) {
    side->scenario = subject("file", "20000").scenario;
  }
  const auto median = [&](const Policy& policy) {
    return judge(duet, policy, "2026-06-01").metrics.front();
  };
  Policy policy = with_class();
  policy.allow_dirty_builds = true;
  REQUIRE(duet.machine.fingerprint == "abcdef012345");
  CHECK(median(default_policy()).decision == MetricOutcome::pass);
  CHECK_FALSE(median(default_policy()).margin_from);
  const MetricJudgement sharper = median(policy);
  CHECK(sharper.margin == 0.02);
  CHECK(sharper.margin_from == "x.toml");
  CHECK(sharper.decision == MetricOutcome::fail);
  policy.waivers = {{{}, "response_ns_p50", 0, 0.06, "1234567", "agreed", "2027-01-01"}};
  policy.waived_commits = {"1234567"};
  const MetricJudgement waived = median(policy);
  CHECK(waived.margin == 0.06);
  CHECK_FALSE(waived.margin_from);
  CHECK(waived.decision == MetricOutcome::pass);
}

TEST_CASE("two builds need the layouts for which a class's margins were made") {
  Duet duet = sample_duet({.rounds = 50});
  duet.a.sink.label = duet.b.sink.label = "file";
  for (DuetSubject* side : {&duet.a, &duet.b}) {
    side->scenario = subject("file", "20000").scenario;
  }
  Policy policy = with_class();
  policy.allow_dirty_builds = true;
  const auto is_sharper = [&] {
    const Verdict verdict = judge(duet, policy, "2026-06-01");
    const bool says_why =
        std::any_of(verdict.remarks.begin(), verdict.remarks.end(), [](const Remark& remark) {
          return remark.what.find("margins of this machine's class") != std::string::npos;
        });
    const bool sharper = verdict.metrics.front().margin == 0.02;
    CHECK(says_why != sharper);
    return sharper;
  };
  CHECK(is_sharper());
  duet.b.build.revision = duet.a.build.revision + "0";
  CHECK_FALSE(is_sharper());
  duet.a.layouts = duet.b.layouts = 50;
  CHECK(is_sharper());
  duet.a.layouts = 49;
  CHECK_FALSE(is_sharper());
}

TEST_CASE("a policy names the folder of classes from where it lies") {
  const TestDirectory directory;
  std::filesystem::create_directory(directory.path() / "margins");
  std::ofstream(directory.path() / "policy.toml") << "[gate]\nclass_margins = \"margins\"\n";
  CHECK(load_policy(directory.path() / "policy.toml").classes.empty());
  std::ofstream(directory.path() / "margins/b.toml") << kClass;
  std::ofstream(directory.path() / "margins/a.toml") << "machines = [\"bb22\"]\n";
  std::ofstream(directory.path() / "margins/README.md") << "not a class";
  const Policy policy = load_policy(directory.path() / "policy.toml");
  REQUIRE(policy.classes.size() == 2);
  CHECK(policy.classes[0].machines == std::vector<std::string>{"bb22"});
  CHECK(policy.classes[1].margins.size() == 3);
  CHECK(policy.classes[1].margins[0].finds == 0.036);
  std::ofstream(directory.path() / "missing.toml") << "[gate]\nclass_margins = \"nowhere\"\n";
  CHECK_THROWS_WITH(load_policy(directory.path() / "missing.toml"), Contains("nowhere"));
}

TEST_CASE("what does not fit is refused with its line") {
  const auto refused = [](const std::string& text, const std::string& why) {
    CHECK_THROWS_WITH(parse_machine_class(text, "x.toml"), Contains("x.toml:") && Contains(why));
  };
  const std::string machines = "machines = [\"aa11\"]\n[[margin]]\n";
  const std::string place = machines + "sink = \"file\"\nload = \"steady\"\n";
  refused("machines = [", "x.toml:1");
  refused("", "machines");
  refused("machines = []", "not a list of fingerprints");
  refused("machines = [1]", "fingerprint");
  refused("machines = [\"aa11\"]\nmargins = 3\n", "margins");
  refused(machines + "load = \"steady\"\n", "sink");
  refused(machines + "sink = \"\"\n", "sink is empty");
  refused(place + "metric = \"calls_blocked\"\nmargin = 0.1\n", "not a metric that is a ratio");
  refused(place + "metric = \"rss_bytes\"\n", "margin");
  refused(place + "metric = \"rss_bytes\"\nmargin = 0\n", "the margin is 0");
  refused(place + "metric = \"rss_bytes\"\nmargin = -1\n", "margin");
}

}  // namespace
}  // namespace tailgate
