#include "harness/gate/metrics.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "harness/result/sample_duet.h"

namespace tailgate {
namespace {

double value(const char* metric, const DuetSide& side) {
  const auto found = find_metric(metric)->value(side, side);
  REQUIRE(found);
  return *found;
}

DuetSide side() {
  SampleDuet sample;
  sample.rounds = 1;
  return sample_duet(sample).rounds[0].a;
}

TEST_CASE("every metric has a name of its own") {
  std::set<std::string_view> names;
  for (const MetricKind& kind : metric_kinds()) {
    INFO(kind.name);
    CHECK(names.insert(kind.name).second);
    CHECK_FALSE(kind.help.empty());
  }
  CHECK(find_metric("no such metric") == nullptr);
}

TEST_CASE("counts are per 20,000 calls") {
  DuetSide one = side();
  one.events = 40'000;
  one.over_100us = 6;
  one.over_1ms = 1;
  one.blocked = 10;
  CHECK(value("calls_over_100us", one) == 3);
  CHECK(value("calls_over_1ms", one) == 0.5);
  CHECK(value("calls_blocked", one) == 5);
  one.events = 0;
  CHECK_FALSE(find_metric("calls_blocked")->value(one, one));
  one.events = 10'000;
  one.stalled_ns = 3'000'000;
  CHECK(value("stalled_ms", one) == 6);
  one.slow_running = 3;
  CHECK(value("calls_slow_running", one) == 6);
  one.slow_running_ns = 400'000;
  CHECK(value("slow_running_ms", one) == Approx(0.8));
  one.stalled_ns.reset();
  CHECK_FALSE(find_metric("stalled_ms")->value(one, one));
  one.ledger.emitted = 40'000;
  one.ledger.lost = 10;
  CHECK(value("events_lost", one) == 5);
}

TEST_CASE("the worst thread is the one with the largest figure, and there is none of one thread") {
  DuetSide one = side();
  CHECK_FALSE(find_metric("worst_thread_ns_p50")->value(one, one));
  one.threads = std::vector<DuetThread>{{1000, 700, 9000}, {1000, 900, 8000}, {0, 5000, 50000}};
  CHECK(value("worst_thread_ns_p50", one) == 900);
  CHECK(value("worst_thread_ns_p99", one) == 9000);
}

TEST_CASE("processor time is per event, without waiting") {
  DuetSide one = side();
  one.cpu_ns = 1'500'000;
  one.spun_ns = 500'000;
  one.cpu_events = 1000;
  CHECK(value("cpu_ns_per_event", one) == 1000);
  one.cpu_ns.reset();
  CHECK_FALSE(find_metric("cpu_ns_per_event")->value(one, one));
}

// A's turns begin 10 % slower after B's, B's 2 % faster after A's: B leaves 6 % more behind.
TEST_CASE(
    "system calls and written bytes are per call that was made meanwhile, start and stop in ms") {
  const auto value = [](const char* name, const DuetSide& side) {
    return find_metric(name)->value(side, DuetSide{});
  };
  DuetSide side;
  side.events = 900;
  side.cpu_events = 1000;
  side.written_bytes = 128'000;
  side.system_calls = 700;
  side.system_call_events = 200;
  side.start_ns = 2'500'000;
  side.stop_ns = 400'000;
  CHECK(value("written_bytes_per_event", side) == 128.0);
  CHECK(value("syscalls_per_event", side) == 3.5);
  CHECK(value("start_ms", side) == 2.5);
  CHECK(value("stop_ms", side) == 0.4);
  for (const char* name :
       {"written_bytes_per_event", "syscalls_per_event", "start_ms", "stop_ms"}) {
    CHECK_FALSE(value(name, DuetSide{}).has_value());
  }
}

TEST_CASE("a side is held to account for what it leaves to the other's turns") {
  DuetSide a = side();
  DuetSide b = side();
  a.carry_over = 0.10;
  b.carry_over = -0.02;
  const MetricKind& kind = *find_metric("left_behind");
  CHECK(*kind.value(b, a) - *kind.value(a, b) == Approx(6));
  b.carry_over.reset();
  CHECK_FALSE(kind.value(b, a));
  a.drains = 20;
  a.drains_cut_short = 5;
  CHECK(value("drains_cut", a) == 0.25);
}

TEST_CASE("effects are logarithms of ratios, and differences") {
  const MetricSeries series{"x", {100, 200}, {150, 100}};
  const auto ratios = effects_of(series, EffectKind::ratio);
  CHECK(ratios[0] == Approx(std::log(1.5)));
  CHECK(ratios[1] == Approx(-std::log(2.0)));
  CHECK(effects_of(series, EffectKind::difference) == std::vector<double>{50, -100});
}

TEST_CASE("a series has every completed round, without a number where a side lacks a value") {
  SampleDuet sample;
  sample.rounds = 5;
  Duet duet = sample_duet(sample);
  const auto has = [&](const char* name) {
    for (const MetricSeries& series : metric_series(duet)) {
      if (series.name != name) continue;
      CHECK(series.a.size() == series.b.size());
      return std::count_if(series.a.begin(), series.a.end(),
                           [](double value) { return !std::isnan(value); });
    }
    return std::ptrdiff_t{0};
  };
  CHECK(has("response_ns_p50") == 5);
  duet.rounds[1].a.outcome = TrialOutcome::crashed;
  CHECK(has("response_ns_p50") == 4);
  duet.rounds[2].b.response.p50_ns = 0;  // no ratio
  CHECK(has("response_ns_p50") == 3);
  CHECK(has("response_ns_p90") == 4);
  const MeasuredRounds measured = measured_rounds(duet, *find_metric("response_ns_p50"));
  CHECK(measured.a == 4);
  CHECK(measured.b == 3);
  CHECK(measured.both == 3);
  CHECK(measured.all == 4);
  duet.rounds[3].b.events = 10'000;
  CHECK(round_load(duet).calls == 17'500);
  duet.rounds.clear();
  CHECK(metric_series(duet).empty());
  CHECK(round_load(duet).calls == 0);
}

}  // namespace
}  // namespace tailgate
