#include "harness/history/fleet.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "harness/history/dates.h"
#include "harness/stats/outliers.h"
#include "harness/stats/quantile_interval.h"

namespace tailgate::history {
namespace {

constexpr std::size_t kLeastRecent = 4;           // values of a machine in the last nights
constexpr std::size_t kLeastEarlier = 7;          // and before them
constexpr double kLeastDrift = 0.02;              // smaller ones are not reported, however certain
constexpr double kLeastMachineDeviation = 0.002;  // as of charts
constexpr double kFalseShare = 0.005;
// The variance of a median of many normal values of variance 1, times their number: pi / 2.
constexpr double kMedianVariance = 1.571;

constexpr std::string_view kFleetMetrics[] = {"response_ns_p50", "response_ns_p99",
                                              "cpu_ns_per_event", "provider_ns_per_event"};

using TimesOfNights = std::map<std::string, double>;           // a machine's value
using TimesOfMachines = std::map<std::string, TimesOfNights>;  // by machine
using TimesOfGroup = std::map<Series, TimesOfMachines>;

// A machine's place among the others.
struct Standing {
  std::string machine;
  double level = 0;
  double change = 0;
  double change_weight = 0;  // the change's variance if its nights' were 1
  bool has_earlier = false;
};

// How much a machine's nights scatter.
struct NightScatter {
  double deviation = 0;
  std::size_t count = 0;  // differences between nights that it was estimated from
};

// The logarithms of each machine's values to the median of the group in the same night.
TimesOfMachines to_group(const TimesOfMachines& machines) {
  std::map<std::string, std::vector<double>> of_night;
  for (const auto& [machine, nights] : machines) {
    for (const auto& [night, value] : nights) of_night[night].push_back(std::log(value));
  }
  std::map<std::string, double> medians;
  for (const auto& [night, values] : of_night) {
    if (values.size() >= kLeastMachines) medians[night] = median(values);
  }
  TimesOfMachines deviations;
  for (const auto& [machine, nights] : machines) {
    for (const auto& [night, value] : nights) {
      const auto of_group = medians.find(night);
      if (of_group == medians.end()) continue;
      deviations[machine][night] = std::log(value) - of_group->second;
    }
  }
  return deviations;
}

// Of all machines together, by the differences between a machine's successive nights.
NightScatter scatter_of(const TimesOfMachines& to_group) {
  std::vector<double> sizes;
  for (const auto& [machine, nights] : to_group) {
    for (auto night = nights.begin(); night != nights.end() && std::next(night) != nights.end();
         ++night) {
      sizes.push_back(std::abs(std::next(night)->second - night->second));
    }
  }
  if (sizes.empty()) return {};
  const std::size_t count = sizes.size();
  return {deviation_of_sizes(std::move(sizes)) / std::sqrt(2.0), count};
}

std::vector<Standing> standings_of(const TimesOfMachines& to_group,
                                   const std::string& first_recent) {
  std::vector<Standing> standings;
  for (const auto& [machine, nights] : to_group) {
    std::vector<double> recent;
    std::vector<double> earlier;
    for (const auto& [night, value] : nights) {
      (night >= first_recent ? recent : earlier).push_back(value);
    }
    if (recent.size() < kLeastRecent) continue;
    Standing& one = standings.emplace_back();
    one.machine = machine;
    one.level = median(recent);
    one.has_earlier = earlier.size() >= kLeastEarlier;
    if (!one.has_earlier) continue;
    one.change = one.level - median(earlier);
    one.change_weight = kMedianVariance / static_cast<double>(recent.size()) +
                        kMedianVariance / static_cast<double>(earlier.size());
  }
  return standings;
}

// How far values are from those of equals, and what none of these exceeds.
struct Distances {
  std::vector<double> of_values;
  double limit = 0;
};

Distances distances_of_levels(const std::vector<Standing>& standings, double comparisons) {
  std::vector<double> levels;
  for (const Standing& one : standings) levels.push_back(one.level);
  return {robust_distances(levels, kLeastMachineDeviation),
          outlier_limit(levels.size(), comparisons, kFalseShare)};
}

// The machines' changes scatter as their nights do, if not more. Nights are many where machines are
// few, so what they say counts where the machines do not scatter more. 0 without earlier nights.
Distances distances_of_changes(const std::vector<Standing>& standings, const NightScatter& scatter,
                               double comparisons) {
  Distances distances;
  distances.of_values.resize(standings.size());
  std::vector<double> changes;
  double weight = 0;
  for (const Standing& one : standings) {
    if (!one.has_earlier) continue;
    changes.push_back(one.change);
    weight = std::max(weight, one.change_weight);
  }
  if (changes.size() < kLeastMachines) return distances;
  const double by_nights = std::max(scatter.deviation * std::sqrt(weight), kLeastMachineDeviation);
  const bool as_nights = by_nights >= robust_deviation(changes);
  distances.limit =
      outlier_limit(as_nights ? scatter.count : changes.size(), comparisons, kFalseShare);
  const std::vector<double> of_changes = robust_distances(changes, by_nights);
  auto next = of_changes.begin();
  for (std::size_t i = 0; i < standings.size(); ++i) {
    if (standings[i].has_earlier) distances.of_values[i] = *next++;
  }
  return distances;
}

// Adds the machines that stand apart in this series. comparisons: of the group in all.
void add_drifting(const Series& series, const TimesOfMachines& to_group,
                  const std::string& first_recent, double comparisons,
                  std::vector<Drift>& drifting) {
  const std::vector<Standing> standings = standings_of(to_group, first_recent);
  if (standings.size() < kLeastMachines) return;
  const Distances levels = distances_of_levels(standings, comparisons);
  const Distances changes = distances_of_changes(standings, scatter_of(to_group), comparisons);
  for (std::size_t i = 0; i < standings.size(); ++i) {
    const Standing& one = standings[i];
    const double level = levels.of_values[i];
    const double change = changes.of_values[i];
    const bool is_new = std::abs(one.change) >= kLeastDrift && std::abs(change) > changes.limit;
    const bool is_apart = std::abs(one.level) >= kLeastDrift && std::abs(level) > levels.limit;
    if (!is_new && !is_apart) continue;
    const double farther = std::abs(change) > std::abs(level) ? change : level;
    drifting.push_back({one.machine, series, one.level, one.change, farther, is_new});
  }
}

MachineGroup judge_group(const std::string& fingerprint, const TimesOfGroup& group) {
  std::set<std::string> nights;
  std::set<std::string> machines;
  for (const auto& [series, of_series] : group) {
    for (const auto& [machine, of_machine] : of_series) {
      machines.insert(machine);
      for (const auto& [night, value] : of_machine) nights.insert(night);
    }
  }
  MachineGroup judged;
  judged.fingerprint = fingerprint;
  judged.machines.assign(machines.begin(), machines.end());
  judged.first_night = *nights.begin();
  judged.last_night = *nights.rbegin();
  judged.is_judged = machines.size() >= kLeastMachines;
  if (!judged.is_judged) return judged;
  const std::size_t recent = std::min(kRecentFleetNights, nights.size());
  const std::string first_recent = *std::prev(nights.end(), static_cast<std::ptrdiff_t>(recent));
  // Each machine is compared by its level and its change.
  const double comparisons = 2.0 * static_cast<double>(machines.size() * group.size());
  for (const auto& [series, of_series] : group) {
    add_drifting(series, to_group(of_series), first_recent, comparisons, judged.drifting);
  }
  std::sort(judged.drifting.begin(), judged.drifting.end(), [](const Drift& a, const Drift& b) {
    return std::abs(a.distance) > std::abs(b.distance);
  });
  return judged;
}

// The last nights of a group.
void forget_old_nights(TimesOfGroup& group) {
  std::set<std::string> nights;
  for (const auto& [series, machines] : group) {
    for (const auto& [machine, of_machine] : machines) {
      for (const auto& [night, value] : of_machine) nights.insert(night);
    }
  }
  if (nights.size() <= kFleetNights) return;
  const std::string first = *std::prev(nights.end(), static_cast<std::ptrdiff_t>(kFleetNights));
  for (auto& [series, machines] : group) {
    for (auto& [machine, of_machine] : machines) {
      of_machine.erase(of_machine.begin(), of_machine.lower_bound(first));
    }
    std::erase_if(machines, [](const auto& one) { return one.second.empty(); });
  }
  std::erase_if(group, [](const auto& one) { return one.second.empty(); });
}

// Whether the series is of a machine's own work: of a duet the side that was measured; a verdict
// repeats it.
bool is_own(const Series& series) {
  return series.kind == Kind::result || (series.kind == Kind::duet && series.part == "b");
}

// The metrics that any of the series has: of a distribution any percentile may be asked.
std::vector<std::string> metrics_of(const std::vector<KnownSeries>& series) {
  std::vector<std::string> metrics;
  for (const std::string_view metric : kFleetMetrics) {
    const bool has = std::any_of(series.begin(), series.end(), [&](const KnownSeries& one) {
      const std::string& name = one.series.metric;
      return one.is_distribution ? metric == name + "_p50" || metric == name + "_p99"
                                 : metric == name;
    });
    if (has) metrics.emplace_back(metric);
  }
  return metrics;
}

// Makes a machine's values of a night anew.
class NightMaker {
 public:
  explicit NightMaker(History& history) : history_(history) {
    const std::vector<KnownSeries> known = history.known_series({});
    metrics_ = metrics_of(known);
    for (const KnownSeries& one : known) ids_[one.series] = one.id;
  }

  void replace(const std::string& night, const std::string& machine) {
    Database& database = history_.database();
    database.run("DELETE FROM machine_nights WHERE night = $1 AND machine = $2", {night, machine});
    Question question = {"", {.machine = machine, .since = night, .until = night}, Merge::night};
    std::vector<Row> rows;
    for (const std::string& metric : metrics_) {
      question.metric = metric;
      history_.for_each(question, [&](const Answer& one) {
        // A machine's name may be the fingerprint of others.
        if (!is_own(one.series) || one.machine != machine) return;
        rows.push_back({night, machine, ids_.at(one.series), metric, one.fingerprint, one.value});
      });
    }
    insert_rows(database, "machine_nights (night, machine, series, metric, fingerprint, value)",
                rows);
  }

 private:
  History& history_;
  std::vector<std::string> metrics_;
  std::map<Series, std::int64_t> ids_;
};

}  // namespace

std::vector<MachineGroup> judge_fleet(const std::vector<FleetValue>& values) {
  std::map<std::string, TimesOfGroup> groups;
  // Values of one machine and series mostly follow each other.
  const FleetValue* last = nullptr;
  TimesOfNights* nights = nullptr;
  for (const FleetValue& one : values) {
    if (one.value <= 0) continue;
    if (last == nullptr || last->machine != one.machine || last->series != one.series ||
        last->fingerprint != one.fingerprint) {
      nights = &groups[one.fingerprint][one.series][one.machine];
    }
    nights->insert_or_assign(one.night, one.value);
    last = &one;
  }
  std::vector<MachineGroup> judged;
  for (auto& [fingerprint, group] : groups) {
    forget_old_nights(group);
    judged.push_back(judge_group(fingerprint, group));
  }
  return judged;
}

std::vector<std::string> fleet_metrics() {
  return {std::begin(kFleetMetrics), std::end(kFleetMetrics)};
}

std::vector<FleetValue> fleet_values(History& history, const Filter& filter) {
  Database& database = history.database();
  std::map<std::int64_t, Series> series;
  for (KnownSeries& known : history.known_series(filter)) {
    series.emplace(known.id, std::move(known.series));
  }
  const std::string first = earlier_night(database, "machine_nights", filter.until, kFleetNights);
  std::vector<Row> rows = database.run(
      "SELECT series, fingerprint, machine, night, metric, value FROM machine_nights"
      " WHERE night >= $1 AND ($2 = '' OR night <= $2)"
      " AND ($3 = '' OR fingerprint = $3)",
      {first, filter.until, filter.machine});
  // A machine's nights of a series after each other, as judge_fleet() takes them fastest.
  std::sort(rows.begin(), rows.end());
  std::vector<FleetValue> values;
  values.reserve(rows.size());
  // There are a hundred thousand, so their texts are moved.
  for (Row& row : rows) {
    const auto known = series.find(std::get<std::int64_t>(row[0]));
    if (known == series.end()) continue;
    const auto text = [&row](std::size_t at) { return std::get<std::string>(std::move(row[at])); };
    values.push_back({text(1), text(2), text(3), known->second, std::get<double>(row[5])});
    values.back().series.metric = text(4);
  }
  return values;
}

std::vector<MachineGroup> fleet(History& history, const Filter& filter) {
  return judge_fleet(fleet_values(history, filter));
}

void update_fleet(History& history) {
  retried([&history] {
    Database& database = history.database();
    Transaction transaction(database, true);
    const std::vector<Row> queue = database.run("SELECT id, night, machine FROM machine_queue");
    std::set<std::pair<std::string, std::string>> nights;
    for (const Row& row : queue) nights.emplace(text_in(row[1]), text_in(row[2]));
    NightMaker maker(history);
    for (const auto& [night, machine] : nights) maker.replace(night, machine);
    for (const Row& row : queue) {
      database.run("DELETE FROM machine_queue WHERE id = $1", {row[0]});
    }
    transaction.commit();
  });
}

}  // namespace tailgate::history
