#include "harness/gate/metrics.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "harness/result/sample_duet.h"

namespace tailgate {
namespace {

double value(const char* metric, const DuetSide& side) {
  const auto found = find_metric(metric)->value(side);
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
  CHECK_FALSE(find_metric("calls_blocked")->value(one));
}

TEST_CASE("processor time is per event, without waiting") {
  DuetSide one = side();
  one.cpu_ns = 1'500'000;
  one.spun_ns = 500'000;
  one.cpu_events = 1000;
  CHECK(value("cpu_ns_per_event", one) == 1000);
  one.cpu_ns.reset();
  CHECK_FALSE(find_metric("cpu_ns_per_event")->value(one));
}

TEST_CASE("effects are logarithms of ratios, and differences") {
  const MetricSeries series{"x", {100, 200}, {150, 100}};
  const auto ratios = effects_of(series, EffectKind::ratio);
  CHECK(ratios[0] == Approx(std::log(1.5)));
  CHECK(ratios[1] == Approx(-std::log(2.0)));
  CHECK(effects_of(series, EffectKind::difference) == std::vector<double>{50, -100});
}

TEST_CASE("a series has every completed round, and none where one lacks a value") {
  SampleDuet sample;
  sample.rounds = 5;
  Duet duet = sample_duet(sample);
  const auto has = [&](const char* name) {
    for (const MetricSeries& series : metric_series(duet)) {
      if (series.name == name) return series.a.size();
    }
    return std::size_t{0};
  };
  CHECK(has("response_ns_p50") == 5);
  duet.rounds[1].a.outcome = TrialOutcome::crashed;
  CHECK(has("response_ns_p50") == 4);
  duet.rounds[2].b.response.p50_ns = 0;  // no ratio
  CHECK(has("response_ns_p50") == 0);
  CHECK(has("response_ns_p90") == 4);
  duet.rounds[3].b.events = 10'000;
  CHECK(events_per_round(duet) == 17'500);
  duet.rounds.clear();
  CHECK(metric_series(duet).empty());
  CHECK(events_per_round(duet) == 0);
}

}  // namespace
}  // namespace tailgate
