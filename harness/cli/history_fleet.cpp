#include "harness/cli/history_fleet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/base/enum_text.h"
#include "harness/cli/history_arguments.h"
#include "harness/cli/terminal.h"
#include "harness/history/fleet.h"
#include "harness/history/history.h"
#include "harness/report/csv_cells.h"
#include "harness/report/human.h"

namespace tailgate {
namespace {

using history::Drift;
using history::History;
using history::MachineGroup;

struct FleetArguments {
  std::string place;
  history::Filter filter;
  std::string metric;  // only this one, as csv
  bool json = false;
};

double as_percent(double log_ratio) {
  return 100 * std::expm1(log_ratio);
}

std::string load_text(const history::Series& of) {
  return fmt::format("{}, {}, {}", of.sink, of.preset.empty() ? of.scenario : of.preset, of.load);
}

std::string drift_line(const Drift& drift) {
  const history::Series& of = drift.series;
  const std::string what = of.part.empty() ? of.metric : of.metric + " of " + of.part;
  std::string line = fmt::format("    {:<34} {:>+7.1f} %", what, as_percent(drift.level));
  if (drift.is_new) line += fmt::format(", {:+.1f} % of it new", as_percent(drift.change));
  return line + "\n";
}

// A machine's drifts, by load.
std::string drifts_text(const std::vector<const Drift*>& drifts) {
  std::string text;
  std::string load;
  for (const Drift* drift : drifts) {
    if (load_text(drift->series) != load) {
      load = load_text(drift->series);
      text += paragraph(load);
    }
    text += drift_line(*drift);
  }
  return text;
}

std::string group_text(const MachineGroup& group) {
  std::string text = fmt::format("group {}: {} machines, nights {} to {}\n", group.fingerprint,
                                 group.machines.size(), group.first_night, group.last_night);
  if (!group.is_judged) {
    return text + paragraph(fmt::format("fewer than {} machines: none is judged by the others",
                                        history::kLeastMachines));
  }
  if (group.drifting.empty()) return text + paragraph("no machine is apart from the others");
  std::map<std::string, std::vector<const Drift*>> machines;
  std::vector<std::string> order;  // the farthest first
  for (const Drift& one : group.drifting) {
    std::vector<const Drift*>& drifts = machines[one.machine];
    if (drifts.empty()) order.push_back(one.machine);
    drifts.push_back(&one);
  }
  for (const std::string& machine : order) {
    std::vector<const Drift*>& drifts = machines[machine];
    std::stable_sort(drifts.begin(), drifts.end(), [](const Drift* a, const Drift* b) {
      return load_text(a->series) < load_text(b->series);
    });
    text += fmt::format("{} against the median of its group\n", machine) + drifts_text(drifts);
  }
  return text;
}

// The groups in 80 columns, one after the other.
std::string history_fleet_text(const std::vector<MachineGroup>& groups) {
  std::string text;
  for (const MachineGroup& group : groups) text += (text.empty() ? "" : "\n") + group_text(group);
  return text;
}

nlohmann::json to_json(const Drift& drift) {
  return {{"machine", drift.machine},
          {"kind", enum_text(drift.series.kind)},
          {"scenario", drift.series.scenario},
          {"preset", drift.series.preset},
          {"sink", drift.series.sink},
          {"load", drift.series.load},
          {"part", drift.series.part},
          {"metric", drift.series.metric},
          {"level_percent", as_percent(drift.level)},
          {"change_percent", as_percent(drift.change)},
          {"distance", drift.distance},
          {"is_new", drift.is_new}};
}

nlohmann::json to_json(const MachineGroup& group) {
  nlohmann::json json = {{"fingerprint", group.fingerprint}, {"machines", group.machines},
                         {"first_night", group.first_night}, {"last_night", group.last_night},
                         {"is_judged", group.is_judged},     {"drifting", nlohmann::json::array()}};
  for (const Drift& one : group.drifting) json["drifting"].push_back(to_json(one));
  return json;
}

std::string fleet_values_csv(const std::vector<history::FleetValue>& values,
                             const std::string& metric) {
  std::string text = csv_line({"kind", "scenario", "preset", "sink", "load", "part", "metric",
                               "unit", "night", "machine", "fingerprint", "value"});
  for (const history::FleetValue& one : values) {
    const history::Series& of = one.series;
    if (of.metric != metric) continue;
    text += csv_line({std::string(enum_text(of.kind)), of.scenario, of.preset, of.sink, of.load,
                      of.part, of.metric, of.unit, one.night, one.machine, one.fingerprint,
                      fmt::format("{}", one.value)});
  }
  return text;
}

int show_fleet(const FleetArguments& arguments) {
  check_night("--until", arguments.filter.until);
  History history = History::open(arguments.place, history::Access::read);
  if (!arguments.metric.empty()) {
    std::cout << fleet_values_csv(history::fleet_values(history, arguments.filter),
                                  arguments.metric);
    return kExitDone;
  }
  const std::vector<MachineGroup> groups = history::fleet(history, arguments.filter);
  if (arguments.json) {
    nlohmann::json list = nlohmann::json::array();
    for (const MachineGroup& one : groups) list.push_back(to_json(one));
    say_json(list);
  } else {
    std::cout << (groups.empty() ? "no times to compare machines by\n"
                                 : history_fleet_text(groups));
  }
  return kExitDone;
}

}  // namespace

void add_history_fleet(Command* history, Action& action) {
  const auto arguments = std::make_shared<FleetArguments>();
  Command* command = history->add_subcommand("fleet", "Name machines that drift from their group");
  add_history_place(command, arguments->place);
  CommandOption* json = command->add_flag("--json", arguments->json, "For programs");
  command
      ->add_option("--values", arguments->metric,
                   "Print the values of this metric by which machines are\n"
                   "judged instead, as csv")
      ->one_of(history::fleet_metrics())
      ->type_name("METRIC")
      ->excludes(json);
  command->add_option("--until", arguments->filter.until, "As of this night")->type_name("DATE");
  command->add_option("--machine", arguments->filter.machine, "The fingerprint of a group")
      ->type_name("NAME");
  command->footer(
      "Machines of one fingerprint are a group. In each night a machine's times are\n"
      "compared with the median of its group; the last 7 nights with the other\n"
      "machines', and with its own of the 21 nights before. All machines and times\n"
      "together, a fleet of equals has a machine named in one of 200 nights at most.\n"
      "A group needs 5 machines. Of a finding, 'findings' says which machines show it.\n"
      "\n"
      "Examples:\n"
      "  tailgate history fleet --history postgresql://me@db/nights\n"
      "  tailgate history fleet --values cpu_ns_per_event > machines.csv\n"
      "  tailgate history fleet --until 2026-11-25 --json");
  command->callback(
      [arguments, &action] { action = [arguments] { return show_fleet(*arguments); }; });
}

}  // namespace tailgate
