#include "harness/history/charts.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "harness/history/chart_state.h"
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
  // Every charted series' values.
  std::map<std::int64_t, std::vector<double>> values_of(const Duets& duets) {
    std::map<std::int64_t, std::vector<double>> values;
    for (const Row& document : database_.run(
             "SELECT id FROM documents WHERE night = $1 AND kind = 'duet' AND fingerprint = $2"
             " AND reference = $3 AND scenario = $4 AND preset = $5 AND sink = $6",
             {duets.night, duets.fingerprint, duets.reference, duets.scenario, duets.preset,
              duets.sink})) {
      for (const Row& row : database_.run(
               "SELECT id, metric, value FROM series JOIN figures ON figures.series = series.id"
               " AND document = $1 WHERE kind = 'duet' AND scenario = $2 AND preset = $3"
               " AND sink = $4 AND part = 'effect' AND unit = 'ln ratio'",
               {document[0], duets.scenario, duets.preset, duets.sink})) {
        if (!is_charted_metric(text_in(row[1]))) continue;
        values[std::get<std::int64_t>(row[0])].push_back(std::get<double>(row[2]));
      }
    }
    return values;
  }

  void chart(const Duets& duets) {
    for (const auto& [series, values] : values_of(duets)) {
      add({series, duets.fingerprint, duets.reference}, duets.night, median(values));
    }
  }

  void add(const ChartKey& key, const std::string& night, double value) {
    const std::vector<Row> kept = database_.run(
        "SELECT night, state, state_before FROM charts"
        " WHERE series = $1 AND fingerprint = $2 AND reference = $3",
        {key.series, key.fingerprint, key.reference});
    ChartState before;
    if (!kept.empty()) {
      const std::string last = text_in(kept[0][0]);
      // Another duet of the last night takes the place of that night's value.
      const auto state = decode_chart(std::get<Bytes>(kept[0][last == night ? 2 : 1]));
      if (night < last || !state) return make_anew(key);
      before = *state;
    }
    ChartState with = before;
    take(key, night, add_night(with, value));
    keep(key, night, with, before);
  }

  // A night came late, or the chart is of an earlier version.
  void make_anew(const ChartKey& key) {
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
      take(key, night, add_night(with, median(values)));
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
  return std::find(kChartedMetrics.begin(), kChartedMetrics.end(), metric) != kChartedMetrics.end();
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
