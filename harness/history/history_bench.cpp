// What the history costs: to append a run, and to answer what a report asks. A history with
// TAILGATE_HISTORY_NIGHTS nights of 200 runs each (2, unless that is set) is made first, in a file
// or, if that is set, in the empty one TAILGATE_HISTORY. Three years of a machine are 1095 nights.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "harness/base/testing/test_directory.h"
#include "harness/history/charts.h"
#include "harness/history/dates.h"
#include "harness/history/history.h"
#include "harness/history/read_records.h"
#include "harness/history/testing/sample_night.h"
#include "harness/result/json.h"

namespace tailgate::history {
namespace {

constexpr int kRunsANight = 200;
constexpr std::int64_t kDayMs = 24LL * 60 * 60 * 1000;

int nights() {
  const char* const set = std::getenv("TAILGATE_HISTORY_NIGHTS");
  return set != nullptr ? std::atoi(set) : 2;
}

std::string place_in(const TestDirectory& directory) {
  const char* const set = std::getenv("TAILGATE_HISTORY");
  return set != nullptr ? set : (directory / "history.sqlite").string();
}

// A night has 20 sinks, with 10 runs of each.
Record run_of(const Record& like, int night, int run) {
  Record record = like;
  record.id = std::to_string(night) + "." + std::to_string(run);
  record.hash = record.id;
  record.started_ms += night * kDayMs;
  record.night = date_of(record.started_ms);
  record.sink = "sink" + std::to_string(run % 20);
  for (Distribution& one : record.distributions) one.series.sink = record.sink;
  for (Figure& one : record.figures) one.series.sink = record.sink;
  return record;
}

// The history, made once for all benchmarks.
class Nights {
 public:
  Nights()
      : like_(read_records(write_result(sample_run({})), "run.json").at(0)),
        history_(History::open(place_in(directory_), Access::write)) {
    for (int night = 0; night < nights(); ++night) {
      for (int run = 0; run < kRunsANight; ++run) history_.append(run_of(like_, night, run));
    }
    history_.sync();
  }

  History& history() { return history_; }
  const Record& like() const { return like_; }

 private:
  TestDirectory directory_;
  Record like_;
  History history_;
};

Nights& made() {
  static Nights nights;
  return nights;
}

void append_a_run(benchmark::State& state) {
  Nights& nights_made = made();
  static int appended = 0;
  for (auto _ : state) {
    const Record record =
        run_of(nights_made.like(), nights() + appended / kRunsANight, appended % kRunsANight);
    ++appended;
    if (nights_made.history().append(record) != Appended::added) state.SkipWithError("not added");
  }
  state.counters["figures"] = static_cast<double>(nights_made.like().figures.size());
  state.counters["distributions"] = static_cast<double>(nights_made.like().distributions.size());
}
BENCHMARK(append_a_run)->Unit(benchmark::kMicrosecond);

void read_a_result(benchmark::State& state) {
  const std::string text = write_result(sample_run({}));
  for (auto _ : state) benchmark::DoNotOptimize(read_records(text, "run.json"));
}
BENCHMARK(read_a_result)->Unit(benchmark::kMicrosecond);

// A curve of one sink over all nights.
void query_a_percentile(benchmark::State& state) {
  const Question question = {"response_ns_p99.9", {.sink = "sink7"}, Merge::night};
  History& history = made().history();
  for (auto _ : state) {
    if (history.query(question).size() < static_cast<std::size_t>(nights())) {
      state.SkipWithError("nights are missing");
    }
  }
}
BENCHMARK(query_a_percentile)->Unit(benchmark::kMillisecond);

void query_a_figure(benchmark::State& state) {
  const Question question = {
      "cpu_ns_per_event", {.sink = "sink7", .part = "provider"}, Merge::night};
  History& history = made().history();
  for (auto _ : state) benchmark::DoNotOptimize(history.query(question));
}
BENCHMARK(query_a_figure)->Unit(benchmark::kMillisecond);

// Last night: every sink's percentile.
void query_a_night(benchmark::State& state) {
  History& history = made().history();
  const std::string last = date_of(made().like().started_ms + (nights() - 1) * kDayMs);
  const Question question = {"response_ns_p99", {.since = last, .until = last}, Merge::night};
  for (auto _ : state) {
    if (history.query(question).size() != 20) state.SkipWithError("sinks are missing");
  }
}
BENCHMARK(query_a_night)->Unit(benchmark::kMillisecond);

constexpr const char* kCharted[] = {
    "response_ns_p50", "response_ns_p90", "response_ns_p99",     "response_ns_p99_9",
    "service_ns_p50",  "service_ns_p99",  "service_ns_mean",     "cpu_ns_per_event",
    "rss_bytes",       "tail_ns_mean",    "daemon_ns_per_event", "provider_ns_per_event"};

// A duet of each of 16 sinks with 12 charted metrics, after as many nights.
void chart_a_night(benchmark::State& state) {
  const TestDirectory directory;
  History history = History::open(directory / "charts.sqlite", Access::write);
  const auto append = [&history](std::int64_t night) {
    for (int sink = 0; sink < 16; ++sink) {
      Record record;
      record.kind = Kind::duet;
      record.sink = "sink" + std::to_string(sink);
      record.id = record.hash = record.sink + "." + std::to_string(night);
      record.night = date_of(night * kDayMs);
      record.reference = "reference";
      const double value = night % 2 == 0 ? 0.01 : -0.01;
      for (const char* metric : kCharted) {
        const Series series = {Kind::duet, "", "", record.sink, "", "effect", metric, "ln ratio"};
        record.figures.push_back({series, value});
      }
      history.append(record);
    }
  };
  std::int64_t night = 0;
  for (; night < nights(); ++night) append(night);
  update_charts(history);
  for (auto _ : state) {
    state.PauseTiming();
    append(night++);
    state.ResumeTiming();
    benchmark::DoNotOptimize(update_charts(history));
  }
}
BENCHMARK(chart_a_night)->Iterations(10)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tailgate::history
