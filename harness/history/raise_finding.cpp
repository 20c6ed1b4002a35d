#include "harness/history/raise_finding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "harness/base/error.h"
#include "harness/history/chart_state.h"

namespace tailgate::history {
namespace {

struct NightOfChart {
  std::string night;
  std::string revision;
};

// Between which nights the level changed.
struct Range {
  NightOfChart last_before;
  NightOfChart first_after;
};

class Raising {
 public:
  Raising(Database& database, const ChartKey& key, const std::string& night,
          const LevelChange& change)
      : database_(database), key_(key), night_(night), change_(change) {}

  std::optional<std::int64_t> raise() {
    find_range();
    if (is_known() || fixes()) return {};
    if (const auto finding = overlapping()) {
      add_member(*finding);
      narrow(*finding);
      return {};
    }
    const std::int64_t made = make_finding();
    add_member(made);
    return made;
  }

 private:
  void find_range() {
    const std::vector<Row> nights = database_.run(
        "SELECT night, max(revision) FROM figures JOIN documents ON documents.id = document"
        " WHERE series = $1 AND fingerprint = $2 AND reference = $3 AND night <= $4"
        " GROUP BY night ORDER BY night DESC LIMIT $5",
        {key_.series, key_.fingerprint, key_.reference, night_,
         static_cast<std::int64_t>(change_.most_after + 1)});
    if (nights.size() <= change_.most_after) {
      throw Error(fmt::format("the history '{}' lacks nights of a chart", database_.place()),
                  "restore a copy, or name a new one and import the documents again");
    }
    const Row& before = nights[change_.most_after];
    const Row& after = nights[change_.fewest_after - 1];
    range_ = {{text_in(before[0]), text_in(before[1])}, {text_in(after[0]), text_in(after[1])}};
  }

  // Whether this change was raised before, as when a chart is made anew.
  bool is_known() {
    for (const Row& row : database_.run(
             "SELECT level_after - level_before, m.last_before, m.first_after, m.fixed_night"
             " FROM finding_members m JOIN findings ON findings.id = finding"
             " WHERE series = $1 AND fingerprint = $2 AND reference = $3",
             {key_.series, key_.fingerprint, key_.reference})) {
      const bool same_way = std::get<double>(row[0]) * change_.change() > 0;
      if (same_way && overlaps(text_in(row[1]), text_in(row[2]))) return true;
      const std::string fixed = text_in(row[3]);
      const bool within = fixed > range_.last_before.night && fixed <= range_.first_after.night;
      if (!same_way && within) return true;
    }
    return false;
  }

  bool overlaps(const std::string& last_before, const std::string& first_after) const {
    return last_before < range_.first_after.night && first_after > range_.last_before.night;
  }

  // Whether the change brings a finding's series back. It is nearer then to where it came from.
  bool fixes() {
    for (const Row& row : database_.run(
             "SELECT finding, level_before, level_after FROM finding_members m"
             " JOIN findings ON findings.id = finding WHERE series = $1 AND fingerprint = $2"
             " AND reference = $3 AND m.fixed_night = '' ORDER BY finding DESC",
             {key_.series, key_.fingerprint, key_.reference})) {
      const double before = std::get<double>(row[1]);
      const double after = std::get<double>(row[2]);
      const bool back =
          (after - before) * change_.change() < 0 && is_back(change_.after, before, after);
      if (!back) continue;
      const auto finding = std::get<std::int64_t>(row[0]);
      set_fixed(finding, key_.series);
      end_if_all_are_back(finding);
      return true;
    }
    return false;
  }

  static bool is_back(double now, double before, double after) {
    return (now - (before + after) / 2) * (after - before) < 0;
  }

  void set_fixed(std::int64_t finding, const Value& series) {
    database_.run("UPDATE finding_members SET fixed_night = $3 WHERE finding = $1 AND series = $2",
                  {finding, series, range_.first_after.night});
  }

  // The other series may scatter too much to show by themselves that they are back.
  void end_if_all_are_back(std::int64_t finding) {
    std::vector<Value> others;
    for (const Row& row : database_.run(
             "SELECT m.series, level_before, level_after, state FROM finding_members m"
             " JOIN charts ON charts.series = m.series WHERE finding = $1 AND fixed_night = ''"
             " AND fingerprint = $2 AND reference = $3",
             {finding, key_.fingerprint, key_.reference})) {
      const auto chart = decode_chart(std::get<Bytes>(row[3]));
      if (!chart || chart->window.empty()) return;
      const bool back =
          is_back(recent_level(*chart), std::get<double>(row[1]), std::get<double>(row[2]));
      if (!back) return;
      others.push_back(row[0]);
    }
    for (const Value& series : others) set_fixed(finding, series);
    database_.run("UPDATE findings SET state = 'fixed', fixed_night = $2 WHERE id = $1",
                  {finding, range_.first_after.night});
  }

  std::optional<std::int64_t> overlapping() {
    for (const Row& row :
         database_.run("SELECT id, last_before, first_after FROM findings WHERE fingerprint = $1"
                       " AND reference = $2 AND is_creep = $3 AND fixed_night = '' ORDER BY id",
                       {key_.fingerprint, key_.reference, std::int64_t{change_.is_creep}})) {
      if (overlaps(text_in(row[1]), text_in(row[2]))) return std::get<std::int64_t>(row[0]);
    }
    return {};
  }

  void add_member(std::int64_t finding) {
    database_.run(
        "INSERT INTO finding_members (finding, series, found_night, last_before, first_after,"
        " level_before, level_after, statistic, fixed_night)"
        " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, '') ON CONFLICT (finding, series) DO NOTHING",
        {finding, key_.series, night_, range_.last_before.night, range_.first_after.night,
         change_.before, change_.after, change_.statistic});
  }

  // What all of them say together is between fewer nights.
  void narrow(std::int64_t finding) {
    database_.run(
        "UPDATE findings SET last_before = $2, revision_before = $3"
        " WHERE id = $1 AND last_before < $2 AND first_after > $2",
        {finding, range_.last_before.night, range_.last_before.revision});
    database_.run(
        "UPDATE findings SET first_after = $2, revision_after = $3"
        " WHERE id = $1 AND first_after > $2 AND last_before < $2",
        {finding, range_.first_after.night, range_.first_after.revision});
  }

  std::int64_t make_finding() {
    const std::vector<Row> made = database_.run(
        "INSERT INTO findings (fingerprint, reference, state, is_creep, found_night, last_before,"
        " revision_before, first_after, revision_after, reason, fixed_night)"
        " VALUES ($1, $2, 'open', $3, $4, $5, $6, $7, $8, '', '') RETURNING id",
        {key_.fingerprint, key_.reference, std::int64_t{change_.is_creep}, night_,
         range_.last_before.night, range_.last_before.revision, range_.first_after.night,
         range_.first_after.revision});
    return std::get<std::int64_t>(made.at(0).at(0));
  }

  Database& database_;
  const ChartKey& key_;
  const std::string& night_;
  const LevelChange& change_;
  Range range_;
};

}  // namespace

std::optional<std::int64_t> raise_finding(Database& database, const ChartKey& key,
                                          const std::string& night, const LevelChange& change) {
  return Raising(database, key, night, change).raise();
}

}  // namespace tailgate::history
