#include "harness/history/spread.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "harness/history/dates.h"
#include "harness/stats/quantile_interval.h"

namespace tailgate::history {
namespace {

constexpr std::int64_t kDaysAround = 30;  // the change, in which machines are compared
constexpr double kLeastShown = 0.5;       // of it
constexpr std::size_t kMostNamed = 8;

// A machine's, of one series.
struct ValuesAround {
  std::vector<double> before;
  std::vector<double> after;
};

}  // namespace

std::vector<GroupShare> spread_of(History& history, const ChangeOfGroup& change) {
  const Series& of = change.series;
  const std::string since = days_later(change.last_before, -kDaysAround);
  const std::string until = days_later(change.first_after, kDaysAround);
  // The numbers of these nights' duets, so that the series is not read as a whole.
  const std::vector<Row> range = history.database().run(
      "SELECT min(id + 0), max(id + 0) FROM documents"
      " WHERE night >= $1 AND night <= $2 AND reference <> ''",
      {since, until});
  if (std::holds_alternative<std::monostate>(range.at(0).at(0))) return {};
  std::map<std::string, std::map<std::string, ValuesAround>> groups;
  for (const Row& row : history.database().run(
           "SELECT fingerprint, machine, night, value FROM series"
           " JOIN figures ON figures.series = series.id"
           " JOIN documents ON documents.id = document WHERE series.kind = $1"
           " AND series.scenario = $2 AND series.preset = $3 AND series.sink = $4 AND load = $5"
           " AND part = $6 AND metric = $7 AND unit = $8 AND reference = $9"
           " AND night >= $10 AND night <= $11 AND document >= $12 AND document <= $13",
           {std::string(enum_text(of.kind)), of.scenario, of.preset, of.sink, of.load, of.part,
            of.metric, of.unit, change.reference, since, until, range[0][0], range[0][1]})) {
    ValuesAround& sides = groups[text_in(row[0])][text_in(row[1])];
    const std::string& night = text_in(row[2]);
    if (night <= change.last_before) sides.before.push_back(std::get<double>(row[3]));
    if (night >= change.first_after) sides.after.push_back(std::get<double>(row[3]));
  }
  std::vector<GroupShare> shares;
  for (const auto& [fingerprint, machines] : groups) {
    GroupShare share{.fingerprint = fingerprint, .with = {}, .without = {}};
    for (const auto& [machine, sides] : machines) {
      if (sides.before.empty() || sides.after.empty()) continue;
      const double moved = median(sides.after) - median(sides.before);
      const bool shows = moved / change.change >= kLeastShown;
      (shows ? share.with : share.without).push_back(machine);
    }
    const bool own = fingerprint == change.fingerprint;
    if (!own && share.with.empty() && share.without.empty()) continue;
    shares.insert(own ? shares.begin() : shares.end(), std::move(share));
  }
  return shares;
}

std::string spread_text(const std::vector<GroupShare>& shares) {
  if (shares.empty()) return "";
  const auto names = [](const std::vector<std::string>& all) {
    const auto end = all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), kMostNamed));
    return fmt::format("{}{}", fmt::join(all.begin(), end, ", "),
                       all.size() > kMostNamed ? " …" : "");
  };
  const GroupShare& own = shares.front();
  const std::size_t measured = own.with.size() + own.without.size();
  std::string text;
  if (measured == 0) {
    text = "no machine of its group was measured both before and after";
  } else if (measured == 1) {
    text = "its group has this machine alone";
  } else if (own.without.empty()) {
    text = fmt::format("all {} machines of its group", measured);
  } else {
    text = fmt::format("{} of {} machines of its group: {}", own.with.size(), measured,
                       names(own.with));
  }
  for (auto other = std::next(shares.begin()); other != shares.end(); ++other) {
    text += fmt::format("; {} of {} in group {}", other->with.size(),
                        other->with.size() + other->without.size(), other->fingerprint);
  }
  return text;
}

}  // namespace tailgate::history
