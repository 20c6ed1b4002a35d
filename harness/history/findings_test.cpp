#include "harness/history/findings.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/history/chart_state.h"
#include "harness/history/read_records.h"
#include "harness/result/json.h"
#include "harness/result/sample_duet.h"

namespace tailgate::history {
namespace {

using Changes = std::vector<std::pair<std::string, double>>;

Course course(const Changes& changes, const std::string& sink = "file") {
  std::vector<FindingMember> members;
  for (const auto& [metric, change] : changes) {
    FindingMember& member = members.emplace_back();
    member.series.sink = sink;
    member.series.metric = metric;
    member.level_after = change;
  }
  return course_of(members);
}

TEST_CASE("a shift is a cost that moved, and only that") {
  CHECK(course({{"response_ns_p99", 0.1}}) == Course::worse);
  CHECK(course({{"response_ns_p99", -0.1}}) == Course::better);
  CHECK(course({{"service_ns_p50", -0.1}, {"daemon_ns_per_event", 0.1}}) == Course::shift);
  CHECK(course({{"provider_ns_per_event", 0.1}, {"daemon_ns_per_event", -0.1}}) == Course::shift);
  CHECK(course({{"service_ns_p50", -0.1},
                {"daemon_ns_per_event", 0.1},
                {"cpu_ns_per_event", -0.05}}) == Course::shift);
  CHECK(
      course({{"service_ns_p50", -0.1}, {"daemon_ns_per_event", 0.5}, {"cpu_ns_per_event", 0.1}}) ==
      Course::worse);
  CHECK(course({{"daemon_ns_per_event", 0.1}}) == Course::worse);
  CHECK(
      course({{"service_ns_p50", -0.1}, {"response_ns_p99", 0.1}, {"daemon_ns_per_event", 0.1}}) ==
      Course::worse);
}

TEST_CASE("one cause in place of another is a shift") {
  CHECK(course({{"call_ns_in_syscall_writev", 0.05}}) == Course::worse);
  CHECK(course({{"call_ns_in_syscall_write", -0.05}}) == Course::better);
  CHECK(course({{"call_ns_in_syscall_write", -0.05}, {"call_ns_in_syscall_writev", 0.0505}}) ==
        Course::shift);
  CHECK(course({{"call_ns_in_syscall_write", -0.05}, {"call_ns_in_syscall_writev", 0.06}}) ==
        Course::worse);
  CHECK(course({{"call_ns_in_own_code", -0.05}, {"daemons_ns_in_own_code", 0.05}}) ==
        Course::shift);
  CHECK(course({{"call_ns_in_syscall_write", -0.05},
                {"call_ns_in_syscall_writev", 0.0505},
                {"response_ns_p99", 0.05}}) == Course::worse);
}

TEST_CASE("what one sink saves does not make another's cost a shift") {
  std::vector<FindingMember> members(2);
  members[0].series = {Kind::duet, "steady", "", "file", "", "effect", "service_ns_p50", ""};
  members[0].level_after = -0.1;
  members[1].series = {Kind::duet, "steady", "", "lttng", "", "effect", "daemon_ns_per_event", ""};
  members[1].level_after = 0.1;
  CHECK(course_of(members) == Course::worse);
}

TEST_CASE("a chart is read as it was written, and nothing else is") {
  ChartState state;
  for (int night = 0; night < 100; ++night) add_night(state, std::sin(night) / 100);
  const Bytes bytes = encode_chart(state);
  CHECK(decode_chart(bytes) == state);
  CHECK(decode_chart(encode_chart({})) == ChartState{});
  CHECK_FALSE(decode_chart({}));
  CHECK_FALSE(decode_chart({bytes.data.substr(1)}));
  CHECK_FALSE(decode_chart({bytes.data + "        "}));
  CHECK_FALSE(decode_chart({"12345678" + bytes.data.substr(8)}));
  state.older_mean = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(decode_chart(encode_chart(state)));
}

TEST_CASE("duets of a sink with an earlier build have a reference") {
  Duet duet = sample_duet({.rounds = 5, .all = 1.1, .spread = 0});
  duet.started_utc = duet.finished_utc = "2026-11-03T22:00:00Z";
  duet.a.build.revision = "0123456789ab";
  duet.b.build.revision = "ba9876543210";
  const Record record = read_records(write_duet(duet), "d.json").at(0);
  CHECK(record.reference == "0123456789ab");
  CHECK(record.revision == "ba9876543210");
  duet.a.sink.label = "another";
  CHECK(read_records(write_duet(duet), "d.json").at(0).reference.empty());
}

TEST_CASE("the provider's processor time is that of both without the daemons'") {
  Duet duet = sample_duet({.rounds = 3, .spread = 0});
  duet.started_utc = duet.finished_utc = "2026-11-03T22:00:00Z";
  for (DuetRound& round : duet.rounds) {
    for (DuetSide* side : {&round.a, &round.b}) {
      side->cpu_events = 1000;
      side->cpu_ns = 900'000;
      side->spun_ns = 0;
      side->daemon_cpu_ns = 500'000;
    }
    round.b.daemon_cpu_ns = 700'000;
  }
  const Record record = read_records(write_duet(duet), "d.json").at(0);
  std::map<std::string, double> values;
  for (const Figure& one : record.figures) {
    if (one.series.metric == "provider_ns_per_event") values[one.series.part] = one.value;
  }
  REQUIRE(values.size() == 3);
  CHECK(values["a"] == Approx(400));
  CHECK(values["b"] == Approx(200));
  CHECK(values["effect"] == Approx(std::log(0.5)));
}

}  // namespace
}  // namespace tailgate::history
