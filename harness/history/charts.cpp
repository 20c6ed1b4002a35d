#include "harness/history/charts.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "harness/history/chart_state.h"
#include "harness/history/parts.h"
#include "harness/history/raise_finding.h"
#include "harness/stats/night_chart.h"
#include "harness/stats/quantile_interval.h"

namespace tailgate::history {
namespace {

constexpr std::array<std::string_view, 14> kChartedMetrics = {
    "response_ns_p50",       "response_ns_p90",  "response_ns_p99",
    "response_ns_p99_9",     "tail_ns_mean",     "worst_thread_ns_p50",
    "worst_thread_ns_p99",   "service_ns_p50",   "service_ns_p99",
    "service_ns_mean",       "cpu_ns_per_event", "daemon_ns_per_event",
    "provider_ns_per_event", "rss_bytes"};

// A part's values are shares of the whole.
constexpr double kPartLevel = 2e-6;
constexpr double kLeastPartChange = 0.002;
constexpr double kLeastPartDeviation = 0.0002;

// The duets of one night that belong together.
struct Duets {
  std::string night;
  std::string fingerprint;
  std::string reference;
  std::string scenario;
  std::string preset;
  std::string sink;

  auto operator<=>(const Duets&) const = default;
};

// A charted series of these duets, with the values of the night.
struct Charted {
  std::string metric;
  std::string load;
  std::vector<double> values;
};

class Charter {
 public:
  explicit Charter(Database& database) : database_(database) {}

  std::vector<std::int64_t> chart_queue() {
    std::vector<std::int64_t> entries;
    std::map<Duets, bool> nights;  // in order
    for (const Row& row : database_.run(
             "SELECT chart_queue.id, night, fingerprint, reference, scenario, preset, sink"
             " FROM chart_queue JOIN documents ON documents.id = document")) {
      entries.push_back(std::get<std::int64_t>(row[0]));
      nights[{text_in(row[1]), text_in(row[2]), text_in(row[3]), text_in(row[4]), text_in(row[5]),
              text_in(row[6])}] = true;
    }
    for (const auto& [duets, once] : nights) chart(duets);
    for (const std::int64_t entry : entries) {
      database_.run("DELETE FROM chart_queue WHERE id = $1", {entry});
    }
    return std::move(made_);
  }

 private:
  // Every charted series, with its values.
  std::map<std::int64_t, Charted> values_of(const Duets& duets) {
    std::map<std::int64_t, Charted> charted;
    for (const Row& document : database_.run(
             "SELECT id FROM documents WHERE night = $1 AND kind = 'duet' AND fingerprint = $2"
             " AND reference = $3 AND reference <> '' AND scenario = $4 AND preset = $5"
             " AND sink = $6",
             {duets.night, duets.fingerprint, duets.reference, duets.scenario, duets.preset,
              duets.sink})) {
      add_absent_parts(std::get<std::int64_t>(document[0]), duets);
      for (const Row& row :
           database_.run("SELECT id, metric, load, value FROM series JOIN figures ON"
                         " figures.series = series.id AND document = $1 WHERE kind = 'duet'"
                         " AND scenario = $2 AND preset = $3"
                         " AND sink = $4 AND part = 'effect' AND unit = 'ln ratio'",
                         {document[0], duets.scenario, duets.preset, duets.sink})) {
        const std::string& metric = text_in(row[1]);
        if (!is_charted_metric(metric)) continue;
        Charted& one = charted[std::get<std::int64_t>(row[0])];
        one.metric = metric;
        one.load = text_in(row[2]);
        one.values.push_back(std::get<double>(row[3]));
      }
    }
    return charted;
  }

  // A document names the causes that had any time in its rounds. Those that other nights know had
  // none, which is a value like any other.
  void add_absent_parts(std::int64_t document, const Duets& duets) {
    std::set<std::pair<std::string, std::string>> traced;  // load, metric of the whole
    std::vector<std::pair<std::int64_t, std::pair<std::string, std::string>>> absent;
    for (const Row& row : database_.run(
             "SELECT id, metric, load, coalesce(document, 0) FROM series LEFT JOIN figures ON"
             " figures.series = series.id AND document = $1 WHERE kind = 'duet'"
             " AND scenario = $2 AND preset = $3"
             " AND sink = $4 AND part = 'effect' AND unit = 'ln ratio'",
             {document, duets.scenario, duets.preset, duets.sink})) {
      const std::string& metric = text_in(row[1]);
      const bool is_here = std::get<std::int64_t>(row[3]) == document;
      if (is_here) traced.emplace(text_in(row[2]), metric);
      const auto part = part_of_metric(metric);
      if (part && !is_here) {
        absent.push_back(
            {std::get<std::int64_t>(row[0]), {text_in(row[2]), whole_metric(part->measure)}});
      }
    }
    for (const auto& [series, whole] : absent) {
      if (!traced.contains(whole)) continue;
      database_.run("INSERT INTO figures (series, document, value) VALUES ($1, $2, $3)",
                    {series, document, 0.0});
    }
  }

  void chart(const Duets& duets) {
    for (const auto& [series, charted] : values_of(duets)) {
      const ChartKey key = {series, duets.fingerprint, duets.reference};
      const ChartSettings settings = chart_settings(charted.metric);
      if (!add(key, duets.night, median(charted.values), settings)) {
        add_nights_before(series, charted, duets);
        make_anew(key, settings);
      }
    }
  }

  // The earlier nights of a part that this one is the first to name.
  void add_nights_before(std::int64_t series, const Charted& charted, const Duets& duets) {
    const auto part = part_of_metric(charted.metric);
    if (!part) return;
    database_.run(
        "INSERT INTO figures (series, document, value) SELECT CAST($1 AS BIGINT), document,"
        " CAST(0 AS DOUBLE PRECISION) FROM figures whole JOIN series ON series.id = whole.series"
        " WHERE kind = 'duet' AND scenario = $2 AND preset = $3 AND sink = $4 AND load = $5"
        " AND part = 'effect' AND metric = $6 AND NOT EXISTS (SELECT 1 FROM figures one"
        " WHERE one.series = $1 AND one.document = whole.document)",
        {series, duets.scenario, duets.preset, duets.sink, charted.load,
         whole_metric(part->measure)});
  }

  // Returns false where the chart has to be made anew: it is new, a night came late, or it is of
  // an earlier version.
  bool add(const ChartKey& key, const std::string& night, double value,
           const ChartSettings& settings) {
    const std::vector<Row> kept = database_.run(
        "SELECT night, state, state_before FROM charts"
        " WHERE series = $1 AND fingerprint = $2 AND reference = $3",
        {key.series, key.fingerprint, key.reference});
    if (kept.empty()) return false;
    const std::string last = text_in(kept[0][0]);
    // Another duet of the last night takes the place of that night's value.
    const auto before = decode_chart(std::get<Bytes>(kept[0][last == night ? 2 : 1]));
    if (night < last || !before) return false;
    ChartState with = *before;
    take(key, night, add_night(with, value, settings));
    keep(key, night, with, *before);
    return true;
  }

  void make_anew(const ChartKey& key, const ChartSettings& settings) {
    std::map<std::string, std::vector<double>> nights;
    for (const Row& row :
         database_.run("SELECT night, value FROM figures JOIN documents ON documents.id = document"
                       " WHERE series = $1 AND fingerprint = $2 AND reference = $3",
                       {key.series, key.fingerprint, key.reference})) {
      nights[text_in(row[0])].push_back(std::get<double>(row[1]));
    }
    ChartState before;
    ChartState with;
    for (const auto& [night, values] : nights) {
      before = with;
      take(key, night, add_night(with, median(values), settings));
    }
    keep(key, nights.rbegin()->first, with, before);
  }

  void take(const ChartKey& key, const std::string& night,
            const std::optional<LevelChange>& change) {
    if (!change) return;
    if (const auto made = raise_finding(database_, key, night, *change)) made_.push_back(*made);
  }

  void keep(const ChartKey& key, const std::string& night, const ChartState& with,
            const ChartState& before) {
    database_.run(
        "INSERT INTO charts (series, fingerprint, reference, night, state, state_before)"
        " VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (series, fingerprint, reference)"
        " DO UPDATE SET night = excluded.night, state = excluded.state,"
        " state_before = excluded.state_before",
        {key.series, key.fingerprint, key.reference, night, encode_chart(with),
         encode_chart(before)});
  }

  Database& database_;
  std::vector<std::int64_t> made_;
};

}  // namespace

bool is_charted_metric(std::string_view metric) {
  return part_of_metric(metric) ||
         std::find(kChartedMetrics.begin(), kChartedMetrics.end(), metric) != kChartedMetrics.end();
}

ChartSettings chart_settings(std::string_view metric) {
  ChartSettings settings;
  const auto part = part_of_metric(metric);
  if (!part) return settings;
  settings.level = kPartLevel;
  if (part->measure == "slow_call") return settings;
  settings.least_change = kLeastPartChange;
  settings.least_deviation = kLeastPartDeviation;
  return settings;
}

std::vector<std::int64_t> update_charts(History& history) {
  return retried([&] {
    Transaction transaction(history.database(), true);
    const std::vector<std::int64_t> made = Charter(history.database()).chart_queue();
    transaction.commit();
    return made;
  });
}

}  // namespace tailgate::history
