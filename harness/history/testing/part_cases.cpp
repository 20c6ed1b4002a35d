// Charts of times by cause, and machines beside each other. Nights scatter by little, changes are
// far above that, so that what is found is not in doubt.
#include <catch2/catch.hpp>

#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "harness/history/charts.h"
#include "harness/history/dates.h"
#include "harness/history/findings.h"
#include "harness/history/fleet.h"
#include "harness/history/spread.h"
#include "harness/history/testing/store_cases.h"

namespace tailgate::history {
namespace {

constexpr std::int64_t kDay = 24LL * 60 * 60 * 1000;
constexpr std::int64_t kFirstMs = 1793491200000;  // 2026-11-01

std::string name_of_night(int night) {
  return date_of(kFirstMs + night * kDay);
}

using PartEffects = std::map<std::string, double>;  // by metric

struct DuetOfNight {
  int night = 0;
  PartEffects effects = {};
  std::string machine = "m1";
  std::string fingerprint = "aaaaaaaaaaaaaaaa";
};

Record record_of_parts(const DuetOfNight& duet) {
  Record record;
  record.kind = Kind::duet;
  record.night = name_of_night(duet.night);
  record.id = record.night + duet.machine;
  record.hash = record.id;
  record.started_ms = kFirstMs + duet.night * kDay;
  record.machine = duet.machine;
  record.fingerprint = duet.fingerprint;
  record.scenario = "steady";
  record.sink = "file";
  record.reference = "reference";
  record.revision = "r" + std::to_string(duet.night);
  for (const auto& [metric, effect] : duet.effects) {
    const double noise = (duet.night + metric.size()) % 2 == 0 ? 0.0003 : -0.0003;
    record.figures.push_back(
        {{Kind::duet, "steady", "", "file", "steady 100/s", "effect", metric, "ln ratio"},
         effect + noise});
  }
  return record;
}

void append_parts(History& history, int first, int last, const PartEffects& effects) {
  for (int night = first; night < last; ++night) {
    history.append(record_of_parts({.night = night, .effects = effects}));
    update_charts(history);
  }
}

const PartEffects kUsualParts = {{"service_ns_mean", 0},
                                 {"call_ns_traced", 0},
                                 {"call_ns_in_own_code", 0},
                                 {"call_ns_in_syscall_write", 0}};

PartEffects with_effect(PartEffects effects, const std::string& metric, double effect) {
  effects[metric] = effect;
  return effects;
}

// A part that is 5 % of the call grows by 10 %: 0.5 % of the call, in which nothing else shows it.
void finds_a_part_that_grew(const std::string& place) {
  History history = History::open(place, Access::write);
  append_parts(history, 0, 20, kUsualParts);
  append_parts(history, 20, 30,
               with_effect(with_effect(kUsualParts, "call_ns_in_own_code", 0.005),
                           "service_ns_mean", 0.005));
  const std::vector<Finding> found = findings(history, {});
  REQUIRE(found.size() == 1);
  REQUIRE(found[0].members.size() == 1);
  CHECK(found[0].members[0].series.metric == "call_ns_in_own_code");
  CHECK(found[0].members[0].change() == Approx(0.005).margin(0.0005));
  CHECK(found[0].found_night == name_of_night(22));
  CHECK(found[0].course == Course::worse);
}

// Its earlier nights are 0, and so are the later ones in which it is gone again.
void finds_a_part_that_is_new(const std::string& place) {
  History history = History::open(place, Access::write);
  append_parts(history, 0, 20, kUsualParts);
  append_parts(history, 20, 30, with_effect(kUsualParts, "call_ns_in_syscall_fsync", 0.05));
  std::vector<Finding> found = findings(history, {});
  REQUIRE(found.size() == 1);
  CHECK(found[0].members.at(0).series.metric == "call_ns_in_syscall_fsync");
  CHECK(found[0].members[0].level_before == 0);
  CHECK(found[0].last_before == name_of_night(19));
  CHECK(found[0].first_after == name_of_night(20));
  append_parts(history, 30, 40, kUsualParts);
  found = findings(history, {});
  REQUIRE(found.size() == 1);
  CHECK(found[0].state == FindingState::fixed);
  CHECK(found[0].fixed_night == name_of_night(30));
  // A night without a trace says nothing of causes.
  append_parts(history, 40, 41, {{"service_ns_mean", 0}});
  CHECK(history.query({"call_ns_in_syscall_fsync"}).size() == 40);
}

void calls_another_way_to_the_same_a_shift(const std::string& place) {
  History history = History::open(place, Access::write);
  append_parts(history, 0, 20, kUsualParts);
  append_parts(history, 20, 30,
               with_effect(with_effect(kUsualParts, "call_ns_in_syscall_write", -0.3),
                           "call_ns_in_syscall_writev", 0.3));
  const std::vector<Finding> found = findings(history, {});
  REQUIRE(found.size() == 1);
  CHECK(found[0].members.size() == 2);
  CHECK(found[0].course == Course::shift);
}

void asks_for_several_metrics_at_once(const std::string& place) {
  History history = History::open(place, Access::write);
  append_parts(history, 0, 3, kUsualParts);
  CHECK(history.query({"call_ns_in_*"}).size() == 6);
  CHECK(history.query({"*_mean"}).size() == 3);
  CHECK_THROWS_AS(history.query({"calls_*"}), Error);
}

// A group of twelve, of which some change; and another group, of one.
void says_which_machines_show_a_finding(const std::string& place) {
  History history = History::open(place, Access::write);
  for (int night = 0; night < 30; ++night) {
    for (int machine = 0; machine < 12; ++machine) {
      const double effect = night >= 20 && machine != 4 ? 0.06 : 0;
      history.append(record_of_parts({.night = night,
                                      .effects = {{"response_ns_p99", effect}},
                                      .machine = "m" + std::to_string(machine)}));
    }
    history.append(record_of_parts({.night = night,
                                    .effects = {{"response_ns_p99", 0}},
                                    .machine = "other",
                                    .fingerprint = "bbbbbbbbbbbbbbbb"}));
    update_charts(history);
  }
  const std::vector<Finding> found = findings(history, {});
  REQUIRE(found.size() == 1);
  const std::vector<GroupShare>& shares = found[0].spread;
  REQUIRE(shares.size() == 2);
  CHECK(shares[0].fingerprint == "aaaaaaaaaaaaaaaa");
  CHECK(shares[0].with.size() == 11);
  CHECK(shares[0].without == std::vector<std::string>{"m4"});
  CHECK(shares[1].without == std::vector<std::string>{"other"});
  CHECK(spread_text(shares) ==
        "11 of 12 machines of its group: m0, m1, m10, m11, m2, m3, m5, m6 …; 0 of 1 in group "
        "bbbbbbbbbbbbbbbb");
}

// As `import` stores them: the median of one machine's times drifts away.
void names_a_machine_that_drifts(const std::string& place) {
  History history = History::open(place, Access::write);
  std::mt19937_64 random(7);
  std::normal_distribution<double> noise(0, 0.01);
  for (int night = 0; night < 20; ++night) {
    for (int machine = 0; machine < 8; ++machine) {
      Record record = record_of_parts({.night = night, .machine = "m" + std::to_string(machine)});
      record.kind = Kind::result;
      const double drift = machine == 3 && night >= 12 ? 0.2 : 0;
      record.figures.push_back({{Kind::result, "steady", "", "file", "steady 100/s", "provider",
                                 "cpu_ns_per_event", "ns"},
                                2000 * std::exp(drift + noise(random))});
      history.append(record);
    }
  }
  CHECK(fleet(history, {}).empty());
  update_fleet(history);
  const std::vector<MachineGroup> groups = fleet(history, {});
  REQUIRE(groups.size() == 1);
  CHECK(groups[0].machines.size() == 8);
  CHECK(groups[0].last_night == name_of_night(19));
  REQUIRE(groups[0].drifting.size() == 1);
  CHECK(groups[0].drifting[0].machine == "m3");
  CHECK(groups[0].drifting[0].is_new);
  CHECK(groups[0].drifting[0].level == Approx(0.2).margin(0.03));
  CHECK(fleet(history, {.until = name_of_night(11)}).at(0).drifting.empty());
  CHECK(fleet(history, {.sink = "spdlog"}).empty());
}

constexpr StoreCase kPartCases[] = {
    {"a part that grew is found where the whole does not show it", finds_a_part_that_grew},
    {"a part that is new was 0 before", finds_a_part_that_is_new},
    {"one system call in place of another is a shift", calls_another_way_to_the_same_a_shift},
    {"several metrics are asked for by what their names share", asks_for_several_metrics_at_once},
    {"which machines show a finding", says_which_machines_show_a_finding},
    {"a machine that drifts from its group is named", names_a_machine_that_drifts},
};

}  // namespace

std::span<const StoreCase> part_cases() {
  return kPartCases;
}

}  // namespace tailgate::history
