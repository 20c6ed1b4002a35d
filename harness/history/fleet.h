// Many machines in one history. Machines of one fingerprint are a group, and take the same time for
// the same work: one that does not is named.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "harness/history/history.h"

namespace tailgate::history {

// The nights that are looked at, the last of them, and the fewest machines and nights to judge by.
inline constexpr std::size_t kFleetNights = 28;
inline constexpr std::size_t kRecentFleetNights = 7;
inline constexpr std::size_t kLeastMachines = 5;

// A machine whose time for one series is not that of its group.
struct Drift {
  std::string machine;
  Series series;      // its metric is what was asked: response_ns_p99
  double level = 0;   // ln(machine / the group's median of the night), median of the last nights
  double change = 0;  // how much of it is new: less that of the nights before; 0 if there are none
  double distance = 0;  // the larger of both, in robust standard deviations of the group
  bool is_new = false;  // the change is an outlier; else the level alone is
};

struct MachineGroup {
  std::string fingerprint;
  std::vector<std::string> machines;  // in order, with a value in the nights looked at
  std::string first_night;            // of these nights
  std::string last_night;
  bool is_judged = false;       // there are machines enough
  std::vector<Drift> drifting;  // the farthest first
};

// One value of a machine and night, by which it is judged.
struct FleetValue {
  std::string fingerprint;
  std::string machine;
  std::string night;
  Series series;
  double value = 0;  // above 0
};

// Groups in order. A pure function: in every series and night the machines' values are compared
// with their median, and a machine's last nights with its own before and with the others'. All
// together name a machine without cause in less than one of 200 fleets of equals.
std::vector<MachineGroup> judge_fleet(const std::vector<FleetValue>& values);

// The metrics by which machines are judged, what machines of one kind have in common.
std::vector<std::string> fleet_metrics();

// What the history holds to judge a fleet by, of its last kFleetNights nights up to filter.until:
// absolute times, which tell machines apart as ratios to a reference do not. A machine's value of a
// night is the median of its documents, or the percentile of all their distributions together. Of
// the filter, kind, scenario, sink, load, part and machine (a fingerprint) have a meaning, too.
std::vector<FleetValue> fleet_values(History& history, const Filter& filter);

// The groups of these.
std::vector<MachineGroup> fleet(History& history, const Filter& filter);

// Makes what these two read of the documents that were appended since the last call: of a machine's
// night one value a series.
void update_fleet(History& history);

}  // namespace tailgate::history
