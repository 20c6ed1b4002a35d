#include "harness/history/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "harness/base/error.h"
#include "harness/history/parts.h"

namespace tailgate::history {
namespace {

template <TextEnum Enum>
Enum known(const std::string& name) {
  if (const auto value = enum_value<Enum>(name)) return *value;
  throw Error(fmt::format("the history holds the unknown word '{}'", name),
              "use the tailgate that wrote it, or a later one");
}

std::vector<FindingMember> members_of(Database& database, std::int64_t finding) {
  std::vector<FindingMember> members;
  for (const Row& row :
       database.run("SELECT kind, scenario, preset, sink, load, part, metric, unit, found_night,"
                    " last_before, first_after, level_before, level_after, statistic, fixed_night"
                    " FROM finding_members JOIN series ON series.id = series WHERE finding = $1",
                    {finding})) {
    FindingMember& one = members.emplace_back();
    one.series = {known<Kind>(text_in(row[0])),
                  text_in(row[1]),
                  text_in(row[2]),
                  text_in(row[3]),
                  text_in(row[4]),
                  text_in(row[5]),
                  text_in(row[6]),
                  text_in(row[7])};
    one.found_night = text_in(row[8]);
    one.last_before = text_in(row[9]);
    one.first_after = text_in(row[10]);
    one.level_before = std::get<double>(row[11]);
    one.level_after = std::get<double>(row[12]);
    one.statistic = std::get<double>(row[13]);
    one.fixed_night = text_in(row[14]);
  }
  std::sort(members.begin(), members.end(), [](const auto& a, const auto& b) {
    return std::tuple(-std::abs(a.statistic), a.series) <
           std::tuple(-std::abs(b.statistic), b.series);
  });
  return members;
}

// What a metric is the cost of.
enum class Payer { caller, daemons, both };

Payer payer_of(const std::string& metric) {
  if (metric == "daemon_ns_per_event") return Payer::daemons;
  if (const auto part = part_of_metric(metric)) {
    return part->measure == "daemons" ? Payer::daemons : Payer::caller;
  }
  return metric == "cpu_ns_per_event" || metric == "rss_bytes" ? Payer::both : Payer::caller;
}

// A sum of parts that changed by less did not change.
constexpr double kLeastSum = 0.002;

// How the costs of one sink went.
struct Costs {
  bool caller_rose = false;
  bool caller_fell = false;
  bool daemons_rose = false;
  bool daemons_fell = false;
  bool sum_rose = false;
  std::map<std::string, double> parts = {};  // by measure: the sum of their changes

  bool is_shift() const {
    if (sum_rose) return false;
    const bool none = !caller_rose && !caller_fell && !daemons_rose && !daemons_fell;
    return (none && !parts.empty()) || (caller_fell && !caller_rose && daemons_rose) ||
           (caller_rose && !caller_fell && daemons_fell);
  }
  bool rose() const { return caller_rose || daemons_rose || sum_rose; }

  void add(Payer payer, bool rise) {
    switch (payer) {
      case Payer::caller:
        (rise ? caller_rose : caller_fell) = true;
        return;
      case Payer::daemons:
        (rise ? daemons_rose : daemons_fell) = true;
        return;
      case Payer::both:
        sum_rose = sum_rose || rise;
        return;
    }
  }

  // One cause may have taken another's place: what counts is their sum.
  void add_parts() {
    for (const auto& [measure, change] : parts) {
      if (std::abs(change) < kLeastSum) continue;
      add(payer_of(part_metric(measure, "")), change > 0);
    }
  }
};

void add(const FindingMember& member, Costs& costs) {
  const std::string& metric = member.series.metric;
  if (const auto part = part_of_metric(metric)) {
    costs.parts[part->measure] += member.change();
  } else {
    costs.add(payer_of(metric), member.change() > 0);
  }
}

}  // namespace

Course course_of(const std::vector<FindingMember>& members) {
  std::map<std::tuple<std::string, std::string, std::string, std::string>, Costs> sinks;
  for (const FindingMember& member : members) {
    const Series& of = member.series;
    add(member, sinks[{of.scenario, of.preset, of.sink, of.load}]);
  }
  bool shifted = false;
  for (auto& [sink, costs] : sinks) {
    costs.add_parts();
    if (costs.is_shift()) {
      shifted = true;
    } else if (costs.rose()) {
      return Course::worse;
    }
  }
  return shifted ? Course::shift : Course::better;
}

std::vector<Finding> findings(History& history, const Filter& filter) {
  std::vector<Finding> found;
  for (const Row& row : history.database().run(
           "SELECT id, state, is_creep, fingerprint, reference, found_night, last_before,"
           " first_after, revision_before, revision_after, reason, fixed_night FROM findings"
           " WHERE ($1 = '' OR found_night >= $1) AND ($2 = '' OR found_night <= $2)"
           " AND ($3 = '' OR fingerprint = $3) ORDER BY found_night DESC, id DESC",
           {filter.since, filter.until, filter.machine})) {
    Finding& one = found.emplace_back();
    one.id = std::get<std::int64_t>(row[0]);
    one.state = known<FindingState>(text_in(row[1]));
    one.is_creep = std::get<std::int64_t>(row[2]) != 0;
    one.fingerprint = text_in(row[3]);
    one.reference = text_in(row[4]);
    one.found_night = text_in(row[5]);
    one.last_before = text_in(row[6]);
    one.first_after = text_in(row[7]);
    one.revision_before = text_in(row[8]);
    one.revision_after = text_in(row[9]);
    one.reason = text_in(row[10]);
    one.fixed_night = text_in(row[11]);
  }
  for (Finding& one : found) {
    one.members = members_of(history.database(), one.id);
    one.course = course_of(one.members);
    one.events = machine_events(history.list(
        {.machine = one.fingerprint, .since = one.last_before, .until = one.first_after}));
    if (one.members.empty()) continue;
    const FindingMember& largest = one.members.front();
    one.spread = spread_of(history, {largest.series, one.fingerprint, one.reference,
                                     largest.last_before, largest.first_after, largest.change()});
  }
  return found;
}

void acknowledge(History& history, std::int64_t id, const std::string& reason) {
  const std::vector<Row> changed = history.database().run(
      "UPDATE findings SET state = 'acknowledged', reason = $2 WHERE id = $1 AND state <> 'fixed'"
      " RETURNING id",
      {id, reason});
  if (!changed.empty()) return;
  const std::vector<Row> fixed =
      history.database().run("SELECT fixed_night FROM findings WHERE id = $1", {id});
  if (fixed.empty()) {
    throw Error(fmt::format("'{}' has no finding {}", history.place(), id),
                "'tailgate history findings --all' shows which there are");
  }
  throw Error(fmt::format("finding {} is fixed since {}", id, text_in(fixed[0][0])),
              "it needs no reason to stay");
}

}  // namespace tailgate::history
