#include "harness/explain/tail.h"

#include <catch2/catch.hpp>

namespace tailgate::activity {
namespace {

Slice slice(Ticks begin, Ticks end, Cause cause, const char* name = "", std::uint32_t thread = 0) {
  return {.begin = begin, .end = end, .cause = cause, .name = name, .thread = thread, .detail = ""};
}

ExplainedTail reported(const Tail& tail) {
  ExplainedTail report;
  tail.report(report);
  return report;
}

TEST_CASE(
    "the usual time is subtracted from own code first, then in proportion from the other causes") {
  Tail tail(400);
  // 100 of the usual 400 are own code; the other 300 take a quarter off each of 800 and 400.
  tail.add({slice(0, 100, Cause::running), slice(100, 900, Cause::waiting, "hog", 5),
            slice(900, 1300, Cause::blocked_storage, "disk", 6)},
           0);
  const ExplainedTail report = reported(tail);
  CHECK(report.calls == 1);
  CHECK(report.time_ns == 1300);
  CHECK(report.excess_ns == 900);
  REQUIRE(report.causes.size() == 3);
  CHECK(report.causes[0].cause == "waiting");
  CHECK(report.causes[0].excess_ns == 600);
  CHECK(report.causes[1].excess_ns == 300);
  CHECK(report.causes[2].cause == "running");
  CHECK(report.causes[2].time_ns == 100);
  CHECK(report.causes[2].excess_ns == 0);
}

TEST_CASE("a call as long as the usual has no excess, and time before `from` does not count") {
  Tail tail(1000);
  tail.add({slice(0, 500, Cause::waiting, "hog", 5), slice(500, 1500, Cause::running)}, 500);
  const ExplainedTail report = reported(tail);
  CHECK(report.time_ns == 1000);
  CHECK(report.excess_ns == 0);
  CHECK(report.culprits.empty());
}

TEST_CASE("threads with the same name are one culprit, with the pid of the thread that took most") {
  Tail tail(0);
  tail.add({slice(0, 10, Cause::waiting, "worker", 5), slice(10, 40, Cause::waiting, "worker", 6)},
           0);
  tail.add({slice(0, 5, Cause::waiting, "worker", 5), slice(5, 9, Cause::interrupt, "timer")}, 0);
  const ExplainedTail report = reported(tail);
  REQUIRE(report.culprits.size() == 2);
  CHECK(report.culprits[0].name == "worker");
  CHECK(report.culprits[0].pid == 6);
  CHECK(report.culprits[0].time_ns == 45);
  CHECK(report.culprits[0].calls == 2);
  CHECK(report.culprits[1].calls == 1);
}

TEST_CASE("the causes' excess adds up to the call's excess despite rounding") {
  Tail tail(777);
  std::uint64_t expected_ns = 0;
  for (Ticks i = 1; i < 200; ++i) {
    tail.add({slice(0, i * 7, Cause::waiting, "a"), slice(i * 7, i * 11, Cause::softirq, "b"),
              slice(i * 11, i * 13, Cause::unknown)},
             0);
    expected_ns += static_cast<std::uint64_t>(std::max<Ticks>(0, i * 13 - 777));
  }
  const ExplainedTail report = reported(tail);
  std::uint64_t sum_ns = 0;
  for (const CauseTime& cause : report.causes) sum_ns += cause.excess_ns;
  CHECK(sum_ns == expected_ns);
  CHECK(report.excess_ns == expected_ns);
}

}  // namespace
}  // namespace tailgate::activity
