// Charts and findings. Nights scatter by 0.2 %, changes are of 5 % and more, so that what is found
// is not in doubt.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/history/charts.h"
#include "harness/history/dates.h"
#include "harness/history/findings.h"
#include "harness/history/testing/store_cases.h"

namespace tailgate::history {
namespace {

constexpr std::int64_t kDayMs = 24LL * 60 * 60 * 1000;
constexpr std::int64_t kFirstNightMs = 1793491200000;  // 2026-11-01

std::string night_name(int night) {
  return date_of(kFirstNightMs + night * kDayMs);
}

using Levels = std::map<std::string, double>;  // by metric

struct Duetting {
  int night = 0;
  std::string sink = "file";
  Levels levels = {{"response_ns_p99", 0}};
  std::string environment = "kernel=6.1\n";
  std::string reference = "reference";
  std::string fingerprint = "aaaaaaaaaaaaaaaa";
  std::string revision = {};  // else the night's own
  std::string id = {};
};

Record record_of_duetting(const Duetting& duetting) {
  Record record;
  record.kind = Kind::duet;
  record.id = duetting.sink + std::to_string(duetting.night) + duetting.reference + duetting.id;
  record.hash = record.id;
  record.started_ms = kFirstNightMs + duetting.night * kDayMs;
  record.night = night_name(duetting.night);
  record.machine = "m7";
  record.fingerprint = duetting.fingerprint;
  record.scenario = "steady";
  record.sink = duetting.sink;
  record.environment = duetting.environment;
  record.reference = duetting.reference;
  record.revision =
      duetting.revision.empty() ? "r" + std::to_string(duetting.night) : duetting.revision;
  for (const auto& [metric, level] : duetting.levels) {
    Series series{Kind::duet,     "steady", "",     duetting.sink,
                  "steady 100/s", "effect", metric, "ln ratio"};
    const double noise = (duetting.night + metric.size()) % 2 == 0 ? 0.002 : -0.002;
    record.figures.push_back({series, level + noise});
    series.part = "b";  // which is not charted
    series.unit = "ns";
    record.figures.push_back({series, 1000 * std::exp(10 * noise)});
  }
  return record;
}

// Nights from `first` up to before `last`, each charted by itself, as a nightly import does.
void append_nights(History& history, int first, int last, const Duetting& like) {
  for (int night = first; night < last; ++night) {
    Duetting one = like;
    one.night = night;
    history.append(record_of_duetting(one));
    update_charts(history);
  }
}

std::vector<Row> chart_rows(History& history) {
  return history.database().run("SELECT * FROM charts ORDER BY series, fingerprint, reference");
}

void finds_one_change_in_many_series(const std::string& place) {
  History history = History::open(place, Access::write);
  for (int night = 0; night < 30; ++night) {
    const double level = night < 20 ? 0.01 : 0.07;
    const Levels levels = {{"response_ns_p50", level},
                           {"response_ns_p99", level},
                           {"service_ns_mean", 0.01},
                           {"response_ns_max", level}};
    for (const char* sink : {"file", "spdlog"}) {
      history.append(record_of_duetting({.night = night, .sink = sink, .levels = levels}));
    }
    const std::vector<std::int64_t> made = update_charts(history);
    CHECK(made.size() == (night == 22 ? 1 : 0));
    CHECK(update_charts(history).empty());
  }
  const std::vector<Finding> found = findings(history, {});
  REQUIRE(found.size() == 1);
  const Finding& one = found[0];
  CHECK(one.state == FindingState::open);
  CHECK(one.course == Course::worse);
  CHECK_FALSE(one.is_creep);
  CHECK(one.found_night == night_name(22));
  CHECK(one.last_before == night_name(19));
  CHECK(one.first_after == night_name(20));
  CHECK(one.revision_before == "r19");
  CHECK(one.revision_after == "r20");
  CHECK(one.has_commits());
  CHECK(one.events.empty());
  REQUIRE(one.members.size() == 4);
  for (const FindingMember& member : one.members) {
    CHECK(member.level_before == Approx(0.01).margin(0.001));
    CHECK(member.level_after == Approx(0.07).margin(0.003));
    CHECK(member.fixed_night.empty());
  }
  CHECK(findings(history, {.since = night_name(23)}).empty());
  CHECK(findings(history, {.machine = "bbbbbbbbbbbbbbbb"}).empty());
}

void names_what_changed_in_the_machine(const std::string& place) {
  History history = History::open(place, Access::write);
  append_nights(history, 0, 15, {.environment = "kernel=5.10\n", .revision = "same"});
  append_nights(history, 15, 20, {.revision = "same"});
  append_nights(history, 20, 25,
                {.levels = {{"response_ns_p99", 0.08}},
                 .environment = "kernel=6.1\nmicrocode=0xf5\n",
                 .revision = "same"});
  const std::vector<Finding> found = findings(history, {});
  REQUIRE(found.size() == 1);
  CHECK_FALSE(found[0].has_commits());
  REQUIRE(found[0].events.size() == 1);
  CHECK(found[0].events[0].night == night_name(20));
  CHECK(found[0].events[0].machine == "m7");
  CHECK(found[0].events[0].changes == std::vector<std::string>{"microcode: unknown -> 0xf5"});
}

void fixes_what_comes_back(const std::string& place) {
  History history = History::open(place, Access::write);
  append_nights(history, 0, 20, {});
  append_nights(history, 20, 32, {.levels = {{"response_ns_p99", 0.08}}});
  CHECK(findings(history, {}).at(0).state == FindingState::open);
  append_nights(history, 32, 40, {.levels = {{"response_ns_p99", 0.01}}});
  const std::vector<Finding> found = findings(history, {});
  REQUIRE(found.size() == 1);
  CHECK(found[0].state == FindingState::fixed);
  CHECK(found[0].fixed_night == night_name(32));
  CHECK(found[0].members.at(0).fixed_night == night_name(32));
  // It comes again: that is another finding.
  append_nights(history, 40, 48, {.levels = {{"response_ns_p99", 0.09}}});
  CHECK(findings(history, {}).size() == 2);
}

void keeps_open_what_comes_back_in_part(const std::string& place) {
  History history = History::open(place, Access::write);
  append_nights(history, 0, 20, {.levels = {{"response_ns_p50", 0}, {"response_ns_p99", 0}}});
  append_nights(history, 20, 32, {.levels = {{"response_ns_p50", 0.1}, {"response_ns_p99", 0.1}}});
  append_nights(history, 32, 44, {.levels = {{"response_ns_p50", 0}, {"response_ns_p99", 0.1}}});
  std::vector<Finding> found = findings(history, {});
  REQUIRE(found.size() == 1);
  CHECK(found[0].state == FindingState::open);
  REQUIRE(found[0].members.size() == 2);
  const bool first_is_p50 = found[0].members[0].series.metric == "response_ns_p50";
  CHECK(found[0].members[first_is_p50 ? 0 : 1].fixed_night == night_name(32));
  CHECK(found[0].members[first_is_p50 ? 1 : 0].fixed_night.empty());
  append_nights(history, 44, 52, {.levels = {{"response_ns_p50", 0}, {"response_ns_p99", 0}}});
  found = findings(history, {});
  REQUIRE(found.size() == 1);
  CHECK(found[0].fixed_night == night_name(44));
}

void calls_a_moved_cost_a_shift(const std::string& place) {
  History history = History::open(place, Access::write);
  append_nights(
      history, 0, 20,
      {.levels = {
           {"provider_ns_per_event", 0}, {"daemon_ns_per_event", 0}, {"cpu_ns_per_event", 0}}});
  append_nights(history, 20, 30,
                {.levels = {{"provider_ns_per_event", -0.1},
                            {"daemon_ns_per_event", 0.3},
                            {"cpu_ns_per_event", 0.01}}});
  const std::vector<Finding> found = findings(history, {});
  REQUIRE(found.size() == 1);
  CHECK(found[0].course == Course::shift);
  CHECK(found[0].members.size() == 2);
}

void does_not_depend_on_the_order(const std::string& place) {
  std::vector<int> nights;
  for (int night = 0; night < 40; ++night) nights.push_back(night);
  History history = History::open(place, Access::write);
  const auto append = [&](int night, const std::string& fingerprint) {
    const double level = night < 25 ? 0 : 0.06;
    history.append(record_of_duetting({.night = night,
                                       .levels = {{"response_ns_p99", level}},
                                       .fingerprint = fingerprint,
                                       .id = fingerprint}));
    update_charts(history);
  };
  for (const int night : nights) append(night, "in order");
  std::shuffle(nights.begin(), nights.end(), std::mt19937(3));
  for (const int night : nights) append(night, "shuffled");
  const std::vector<Row> charts = chart_rows(history);
  REQUIRE(charts.size() == 2);
  for (std::size_t column = 3; column < 6; ++column) {
    CHECK(charts[0][column] == charts[1][column]);
  }
  CHECK(findings(history, {.machine = "in order"}).size() == 1);
  CHECK(findings(history, {.machine = "shuffled"}).size() == 1);
}

void charts_all_at_once(const std::string& place) {
  History history = History::open(place, Access::write);
  for (int night = 0; night < 30; ++night) {
    const double level = night < 20 ? 0 : 0.06;
    history.append(record_of_duetting({.night = night, .levels = {{"response_ns_p99", level}}}));
  }
  // As by another program, after the one that appended was killed.
  History other = History::open(place, Access::write);
  CHECK(update_charts(other).size() == 1);
  CHECK(findings(other, {}).at(0).found_night == night_name(22));
  CHECK(other.database().run("SELECT id FROM chart_queue").empty());
}

void a_nights_duets_are_one_value(const std::string& place) {
  History history = History::open(place, Access::write);
  append_nights(history, 0, 20, {});
  const std::vector<Row> before = chart_rows(history);
  // The last night's second and third duet: the median is as it was, and the night counts once.
  for (const auto& [id, level] : {std::pair{"second", 0.5}, {"third", -0.5}}) {
    history.append(
        record_of_duetting({.night = 19, .levels = {{"response_ns_p99", level}}, .id = id}));
    update_charts(history);
  }
  CHECK(chart_rows(history) == before);
}

void keeps_references_apart(const std::string& place) {
  History history = History::open(place, Access::write);
  for (int night = 0; night < 30; ++night) {
    history.append(record_of_duetting({.night = night}));
    // Duets of proposed changes with their base, and of two sinks, lie in the same history.
    history.append(record_of_duetting({.night = night,
                                       .levels = {{"response_ns_p99", night % 3}},
                                       .reference = "base" + std::to_string(night)}));
    history.append(
        record_of_duetting({.night = night, .levels = {{"response_ns_p99", 2}}, .reference = ""}));
    update_charts(history);
  }
  CHECK(findings(history, {}).empty());
  CHECK(chart_rows(history).size() == 31);
}

void makes_a_damaged_chart_anew(const std::string& place) {
  History history = History::open(place, Access::write);
  append_nights(history, 0, 20, {});
  history.database().run("UPDATE charts SET state = $1", {Bytes{"damaged"}});
  append_nights(history, 20, 24, {.levels = {{"response_ns_p99", 0.06}}});
  CHECK(findings(history, {}).size() == 1);
}

void takes_an_acknowledgement(const std::string& place) {
  History history = History::open(place, Access::write);
  append_nights(history, 0, 20, {});
  append_nights(history, 20, 25, {.levels = {{"response_ns_p99", 0.06}}});
  const std::int64_t id = findings(history, {}).at(0).id;
  acknowledge(history, id, "events carry a checksum");
  CHECK(findings(history, {}).at(0).state == FindingState::acknowledged);
  CHECK(findings(history, {}).at(0).reason == "events carry a checksum");
  CHECK_THROWS_AS(acknowledge(history, id + 1, "?"), Error);
  append_nights(history, 25, 30, {.levels = {{"response_ns_p99", 0.06}}});
  append_nights(history, 30, 35, {});
  CHECK(findings(history, {}).at(0).state == FindingState::fixed);
  CHECK_THROWS_AS(acknowledge(history, id, "?"), Error);
}

constexpr StoreCase kChartCases[] = {
    {"what changed in one night in many series is one finding", finds_one_change_in_many_series},
    {"a change of the machine is named", names_what_changed_in_the_machine},
    {"a level that comes back is fixed", fixes_what_comes_back},
    {"a finding is fixed when all its series are back", keeps_open_what_comes_back_in_part},
    {"a cost that moved to the daemons is a shift", calls_a_moved_cost_a_shift},
    {"charts do not depend on the order of imports", does_not_depend_on_the_order},
    {"duets that wait are charted later", charts_all_at_once},
    {"a night with several duets has their median", a_nights_duets_are_one_value},
    {"duets with other references do not disturb a chart", keeps_references_apart},
    {"a damaged chart is made anew", makes_a_damaged_chart_anew},
    {"a finding is acknowledged with a reason", takes_an_acknowledgement},
};

}  // namespace

std::span<const StoreCase> chart_cases() {
  return kChartCases;
}

}  // namespace tailgate::history
