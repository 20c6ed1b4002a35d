// The formats of other tools but perfetto.
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/base/error.h"
#include "harness/histogram/histogram_log.h"
#include "harness/report/exporter.h"
#include "harness/result/latency.h"
#include "harness/result/sample.h"

namespace tailgate {
namespace {

using nlohmann::json;

std::string exported(const std::string& format, const Result& result,
                     LatencyKind metric = LatencyKind::response) {
  return render(Results{{"", result}}, format, {.metric = metric});
}

// The response times that the sample's description states, recorded here anew.
Histogram stated_response(unsigned trial) {
  Histogram histogram{HistogramRange()};
  for (std::uint64_t i = 1; i <= 20'000; ++i) histogram.record(1000 * i + 500 + trial);
  return histogram;
}

std::vector<std::vector<std::string>> parse_csv(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> row(1);
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      row.back() += text[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == ',') {
      row.emplace_back();
    } else if (!quoted && c == '\n') {
      rows.push_back(std::exchange(row, std::vector<std::string>(1)));
    } else {
      row.back() += c;
    }
  }
  return rows;
}

std::map<std::string, std::string> csv_row(const std::string& text, std::size_t index) {
  const auto rows = parse_csv(text);
  std::map<std::string, std::string> row;
  REQUIRE(rows.size() > index + 1);
  REQUIRE(rows[0].size() == rows[index + 1].size());
  for (std::size_t i = 0; i < rows[0].size(); ++i) row[rows[0][i]] = rows[index + 1][i];
  return row;
}

TEST_CASE("hgrm holds the merged distribution of the completed trials") {
  Histogram whole = stated_response(0);
  whole.add(stated_response(1));
  whole.add(stated_response(2));
  std::istringstream text(exported("hgrm", sample_result()));
  int rows = 0;
  for (std::string line; std::getline(text, line);) {
    double value = 0;
    double quantile = 0;
    unsigned long long count = 0;
    if (std::sscanf(line.c_str(), "%lf %lf %llu", &value, &quantile, &count) != 3) continue;
    ++rows;
    CHECK(whole.count_between(0, static_cast<std::uint64_t>(value)) == count);
    CHECK(whole.value_at_quantile(quantile) == static_cast<std::uint64_t>(value));
  }
  CHECK(rows > 30);
  CHECK_THAT(exported("hgrm", sample_result()), Catch::Contains("60000]"));
}

TEST_CASE("hgrm takes the metric that is asked for") {
  // The start lag is 500 ns for every event.
  const std::string text = exported("hgrm", sample_result(), LatencyKind::start_lag);
  double value = 0;
  REQUIRE(std::sscanf(text.c_str() + text.find("\n\n"), "%lf", &value) == 1);
  CHECK(value == 500);
}

TEST_CASE("hgrm refuses several steps and metrics that were not measured") {
  Result result = sample_result();
  for (Trial& trial : result.trials) trial.consumer.delivery.reset();
  CHECK_THROWS_WITH(exported("hgrm", result, LatencyKind::delivery),
                    Catch::Contains("recorded the metric 'delivery'"));
  result.trials[1].step = 1;
  CHECK_THROWS_WITH(exported("hgrm", result), Catch::EndsWith("choose one with --step"));
}

std::vector<HistogramLogInterval> intervals_of(const std::string& log) {
  HistogramLogReader reader(log);
  std::vector<HistogramLogInterval> intervals;
  while (auto interval = reader.next()) intervals.push_back(std::move(*interval));
  return intervals;
}

TEST_CASE("hlog holds every interval of every trial without a tag, which add up to the trials") {
  const auto intervals = intervals_of(exported("hlog", sample_result()));
  REQUIRE(intervals.size() == 6);
  // 2026-03-01T12:00:00Z is 1772366400; the first trial's first interval starts 1 s later.
  CHECK(intervals[0].start_s == Approx(1'772'366'401.0));
  for (unsigned trial = 0; trial < 3; ++trial) {
    Histogram sum{HistogramRange()};
    for (std::size_t i = 2 * trial; i < 2 * trial + 2; ++i) {
      CHECK(intervals[i].tag.empty());
      CHECK(intervals[i].length_s == Approx(1));
      CHECK((i == 0 || intervals[i].start_s > intervals[i - 1].start_s));
      sum.add(intervals[i].histogram);
    }
    CHECK(sum == stated_response(trial));
  }
}

TEST_CASE("hlog tags the steps of a result that has several") {
  Result result = sample_result();
  result.trials[1].step = 4;
  std::map<std::string, int> intervals;
  for (const HistogramLogInterval& one : intervals_of(exported("hlog", result))) {
    ++intervals[one.tag];
  }
  CHECK(intervals == std::map<std::string, int>{{"step0", 4}, {"step4", 2}});
}

TEST_CASE("hlog has one interval a trial where a trial has none, or the metric has none") {
  Result result = sample_result();
  result.trials[0].intervals.clear();
  const auto first = intervals_of(exported("hlog", result)).front();
  CHECK(first.length_s == Approx(2));
  CHECK(first.histogram == stated_response(0));
  CHECK(intervals_of(exported("hlog", result, LatencyKind::delivery)).size() == 3);
}

TEST_CASE("hlog needs a start time that it can read") {
  Result result = sample_result();
  for (const char* time :
       {"", "yesterday", "2026-13-01T12:00:00Z", "2026-02-30T12:00:00Z", "2026-03-01T12:00:0xZ",
        "2026-03-01T12:00:00xZ", "-026-03-01T12:00:00Z"}) {
    result.started_utc = time;
    CHECK_THROWS_WITH(exported("hlog", result), Catch::StartsWith("started_utc = '"));
  }
  result.started_utc = "2026-03-01T12:00:00.250Z";
  CHECK_THAT(exported("hlog", result), Catch::Contains("StartTime: 1772366400.250"));
}

TEST_CASE("csv has a row for each trial with its quantiles") {
  const std::string text = exported("csv", sample_result());
  CHECK(parse_csv(text).size() == 5);
  const auto row = csv_row(text, 2);
  const Histogram stated = stated_response(2);
  CHECK(row.at("sink") == "file:mode=mmap");
  CHECK(row.at("trial") == "2");
  CHECK(row.at("rate_missed") == "true");
  CHECK(row.at("lost") == "100");
  CHECK(row.at("unaccounted") == "10");
  CHECK(row.at("response_count") == "20000");
  CHECK(row.at("response_ns_p99") == std::to_string(stated.value_at_quantile(0.99)));
  CHECK(row.at("response_ns_max") == std::to_string(stated.max()));
  CHECK(row.at("start_lag_ns_p50") == "500");
  const auto crashed = csv_row(text, 3);
  CHECK(crashed.at("outcome") == "crashed");
  CHECK(crashed.at("response_ns_p99").empty());
  CHECK(crashed.at("unaccounted").empty());
}

TEST_CASE("csv says where each row was measured, and with which options") {
  Result result = sample_result();
  result.build.revision = "0123abcd";
  result.build.dirty = true;
  result.sink.options = {{"mode", "mmap"}, {"size", "a,b"}};
  result.trials[1].load.threads = 3;
  result.trials[1].load.payload = "uniform(10,20)";
  const auto row = csv_row(exported("csv", result), 1);
  CHECK(row.at("run") == result.id);
  CHECK(row.at("machine") == result.machine.fingerprint);
  CHECK(row.at("revision") == "0123abcd+changes");
  CHECK(row.at("sink_options") == "mode=mmap;size=a,b");
  CHECK_FALSE(row.at("scenario_options").empty());
  CHECK(row.at("threads") == "3");
  CHECK(row.at("payload") == "uniform(10,20)");
  CHECK(row.at("started_utc") == result.trials[1].started_utc);
}

TEST_CASE("csv leaves cells empty that mean nothing") {
  Result result = sample_result();
  result.trials[0].load.shape = Shape::max;
  result.trials[0].load.rate_hz = 0;
  const auto closed = csv_row(exported("csv", result), 0);
  for (const char* none : {"rate_hz", "rate_missed", "start_lag_count", "start_lag_ns_p50"}) {
    INFO(none);
    CHECK(closed.at(none).empty());
  }
  CHECK(closed.at("achieved_rate_hz") == "10000");
  CHECK(csv_row(exported("csv-intervals", result), 0).at("rate_hz").empty());
  const auto crashed = csv_row(exported("csv", result), 3);
  CHECK(crashed.at("achieved_rate_hz").empty());
  CHECK(crashed.at("rate_missed").empty());
  result.sink.accounts_losses = false;
  CHECK(csv_row(exported("csv", result), 3).at("lost").empty());
  CHECK(csv_row(exported("csv", result), 1).at("lost") == "0");
}

TEST_CASE("csv is one table of all results") {
  Result other = sample_result();
  other.id = "fedcba9876543210";
  for (const char* format : {"csv", "csv-intervals"}) {
    const std::string one = exported(format, sample_result());
    const std::string two = exported(format, other);
    const std::string both = render(Results{{"a", sample_result()}, {"b", other}}, format);
    CHECK(both == one + two.substr(two.find('\n') + 1));
  }
}

TEST_CASE("csv quotes what would break a row") {
  Result result = sample_result();
  result.sink.label = "file:a=1,path=\"x\ny\"";
  CHECK(csv_row(exported("csv", result), 0).at("sink") == result.sink.label);
}

TEST_CASE("csv-intervals has a row for each interval") {
  const std::string text = exported("csv-intervals", sample_result());
  CHECK(parse_csv(text).size() == 7);
  const auto row = csv_row(text, 1);
  CHECK(row.at("start_ns") == "2000000000");
  CHECK(row.at("end_ns") == "3000000000");
  CHECK(row.at("response_count") == "10000");
  // The second interval holds 10001.5 us and up.
  CHECK(std::stod(row.at("response_ns_min")) == Approx(10'001'500).epsilon(0.001));
}

TEST_CASE("gbench has the fields of Google Benchmark's own files") {
  const json document = json::parse(exported("gbench", sample_result()));
  for (const char* field : {"date", "host_name", "executable", "num_cpus", "mhz_per_cpu",
                            "cpu_scaling_enabled", "caches", "load_avg", "library_build_type"}) {
    CHECK(document["context"].contains(field));
  }
  for (const json& entry : document["benchmarks"]) {
    std::vector<const char*> fields = {"name",     "family_index", "per_family_instance_index",
                                       "run_name", "run_type",     "repetitions",
                                       "threads",  "iterations",   "real_time",
                                       "cpu_time", "time_unit"};
    if (entry["run_type"] == "aggregate") {
      fields.insert(fields.end(), {"aggregate_name", "aggregate_unit"});
      CHECK(entry["name"] == entry["run_name"].get<std::string>() + "_" +
                                 entry["aggregate_name"].get<std::string>());
    } else {
      CHECK(entry["run_type"] == "iteration");
      CHECK(entry["name"] == entry["run_name"]);
      fields.push_back("repetition_index");
    }
    for (const char* field : fields) CHECK(entry.contains(field));
    CHECK(entry["repetitions"] == 3);
    CHECK(entry["time_unit"] == "ns");
  }
}

TEST_CASE("gbench has a repetition for each completed trial, and their aggregates") {
  Result result = sample_result();
  result.trials[0].response.p99_ns = 100;
  result.trials[1].response.p99_ns = 400;
  result.trials[2].response.p99_ns = 700;
  const json document = json::parse(exported("gbench", result));
  const std::string name = "steady@file:mode=mmap/rate_hz:10000/response/p99";
  std::vector<double> times;
  std::map<std::string, double> aggregates;
  for (const json& entry : document["benchmarks"]) {
    if (entry["run_name"] != name) continue;
    if (entry["run_type"] == "iteration") {
      CHECK(entry["repetition_index"] == times.size());
      CHECK(entry["iterations"] == 20'000);
      times.push_back(entry["real_time"]);
    } else {
      aggregates[entry["aggregate_name"]] = entry["real_time"];
    }
  }
  CHECK(times == std::vector<double>{100, 400, 700});
  CHECK(aggregates.at("mean") == Approx(400));
  CHECK(aggregates.at("median") == Approx(400));
  CHECK(aggregates.at("stddev") == Approx(300));
  CHECK(aggregates.at("cv") == Approx(0.75));
}

TEST_CASE("gbench's cpu_time is the provider's processor time per event") {
  // Of the sample's trial t: 1960 + t ms, of which 1900 ms are waiting, for 20,000 events.
  const json document = json::parse(exported("gbench", sample_result()));
  std::vector<double> times;
  std::map<std::string, double> aggregates;
  for (const json& entry : document["benchmarks"]) {
    if (!entry["run_name"].get<std::string>().ends_with("/service/p50")) continue;
    if (entry["run_type"] == "iteration") {
      times.push_back(entry["cpu_time"]);
    } else {
      aggregates[entry["aggregate_name"]] = entry["cpu_time"];
    }
  }
  CHECK(times == std::vector<double>{3000, 3050, 3100});
  CHECK(aggregates.at("mean") == Approx(3050));
  CHECK(aggregates.at("median") == Approx(3050));
  CHECK(aggregates.at("stddev") == Approx(50));
  CHECK(aggregates.at("cv") == Approx(50.0 / 3050));
}

TEST_CASE("gbench has no cpu_time where no processor time was measured") {
  Result result = sample_result();
  result.trials[0].overhead.reset();
  result.trials[1].overhead->roles.clear();
  result.trials[2].overhead->roles[0].counters.cpu_ns.reset();
  // Others took the processor from the spinning load: what is left is below nothing.
  result.trials.push_back(sample_result().trials[0]);
  result.trials.back().overhead->roles[0].counters.spun_ns = 3'000'000'000;
  const json document = json::parse(exported("gbench", result));
  REQUIRE_FALSE(document["benchmarks"].empty());
  for (const json& entry : document["benchmarks"]) {
    CHECK(entry.contains("real_time"));
    CHECK_FALSE(entry.contains("cpu_time"));
  }
}

// As in the schema that its documentation gives: objects of objects, of which each has a number
// `value` and may have `lower_value` and `upper_value`. Names of measures are slugs.
void check_bencher(const json& document) {
  for (const json& measures : document) {
    REQUIRE(measures.is_object());
    for (const auto& [name, metric] : measures.items()) {
      CHECK(name.size() <= 64);
      CHECK(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos);
      CHECK(metric.size() == 3);
      const double value = metric.at("value");
      CHECK(metric.at("lower_value").get<double>() <= value);
      CHECK(metric.at("upper_value").get<double>() >= value);
    }
  }
}

TEST_CASE("bencher has a benchmark per step: the median of the trials, the least, the greatest") {
  Result result = sample_result();
  result.trials[0].response.p99_9_ns = 900;
  result.trials[1].response.p99_9_ns = 100;
  result.trials[2].response.p99_9_ns = 400;
  result.trials[0].ledger.lost = 0;
  result.trials[1].ledger.lost = 7;
  result.trials[2].ledger.lost = 2;
  const json document = json::parse(exported("bencher", result));
  check_bencher(document);
  REQUIRE(document.size() == 1);
  const json& measures = document.at("steady@file:mode=mmap/rate_hz:10000");
  CHECK(measures.at("response-p99-9-ns") ==
        json({{"value", 400}, {"lower_value", 100}, {"upper_value", 900}}));
  CHECK(measures.at("provider-cpu-ns") ==
        json({{"value", 3050}, {"lower_value", 3000}, {"upper_value", 3100}}));
  CHECK(measures.at("lost-events") == json({{"value", 2}, {"lower_value", 0}, {"upper_value", 7}}));
}

TEST_CASE("bencher has no measure that was not measured") {
  Result result = sample_result();
  for (Trial& trial : result.trials) {
    trial.overhead.reset();
    trial.consumer.delivery.reset();
  }
  const json document = json::parse(exported("bencher", result));
  check_bencher(document);
  CHECK(document.size() == 1);
  for (const json& measures : document) {
    CHECK(measures.contains("service-p50-ns"));
    CHECK_FALSE(measures.contains("delivery-p50-ns"));
    CHECK_FALSE(measures.contains("provider-cpu-ns"));
  }
}

TEST_CASE("steps of one rate are benchmarks with different names") {
  Result result = sample_result();
  result.trials[0].step = 2;
  const json document = json::parse(exported("bencher", result));
  const std::string name = "steady@file:mode=mmap/rate_hz:10000";
  CHECK(document.size() == 2);
  CHECK(document.contains(name + "/step:0"));
  CHECK(document.contains(name + "/step:2"));
  const json gbench = json::parse(exported("gbench", result));
  CHECK(gbench["benchmarks"][0]["run_name"] == name + "/step:0/service/p50");
}

TEST_CASE("a run in which nothing completed has no benchmarks and no distribution") {
  Result result = sample_result();
  for (Trial& trial : result.trials) trial.outcome = TrialOutcome::hung;
  CHECK_THROWS_AS(exported("gbench", result), Error);
  CHECK_THROWS_AS(exported("bencher", result), Error);
  CHECK_THROWS_AS(exported("hgrm", result), Error);
  CHECK_THROWS_AS(exported("hlog", Result()), Error);
}

}  // namespace
}  // namespace tailgate
