#include "harness/samples/samples.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/histogram/histogram_log.h"
#include "harness/samples/format.h"

namespace tailgate {
namespace {

using Values = std::vector<double>;
using Catch::Matchers::Contains;

SampleSet read(std::string_view format, std::string_view text) {
  return read_samples(find_sample_format(format), text, "input");
}

const FigureSeries& figure(const SampleSet& samples, const std::string& name) {
  for (const FigureSeries& series : samples.series) {
    if (series.name == name) return series;
  }
  FAIL("no figure " << name);
  return samples.series.front();
}

std::string failure(std::string_view format, std::string_view text) {
  try {
    read(format, text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// What Google Benchmark 1.7.1 printed, shortened.
std::string gbench_process(const std::string& real, const std::string& other) {
  return R"({"context": {"host_name": "vm", "num_cpus": 2},
  "benchmarks": [
    {"name": "BM_add", "run_name": "BM_add", "run_type": "iteration", "repetitions": 2,
     "repetition_index": 0, "iterations": 17854, "real_time": )" +
         real + R"(, "cpu_time": 9.0e-1, "time_unit": "us"},
    {"name": "BM_add", "run_name": "BM_add", "run_type": "iteration", "repetitions": 2,
     "repetition_index": 1, "iterations": 17854, "real_time": )" +
         other + R"(, "cpu_time": 1.1e0, "time_unit": "us"},
    {"name": "BM_add_median", "run_name": "BM_add", "run_type": "aggregate",
     "aggregate_name": "median", "real_time": 77, "cpu_time": 77, "time_unit": "us"}
  ]
}
)";
}

TEST_CASE("a process of Google Benchmark is one repetition, the median of its own") {
  const SampleSet samples =
      read("gbench", "Running ./bench\n" + gbench_process("2", "4") + gbench_process("5", "5"));
  CHECK(figure(samples, "BM_add real_time").values == Values{3000, 5000});
  CHECK(figure(samples, "BM_add cpu_time").values == Values{1000, 1000});
  CHECK(figure(samples, "BM_add cpu_time").unit == "ns");
  CHECK(samples.processes == 2);
  CHECK(samples.pooled == 2);
  CHECK(samples.machines == std::vector<std::string>{"vm"});
}

TEST_CASE("of Google Benchmark's aggregates alone the median counts") {
  const std::string text = R"({"benchmarks": [
    {"name": "x_mean", "run_name": "x", "run_type": "aggregate", "aggregate_name": "mean",
     "real_time": 1, "time_unit": "ns"},
    {"name": "x_median", "run_name": "x", "run_type": "aggregate", "aggregate_name": "median",
     "real_time": 2, "time_unit": "ns"}]})";
  CHECK(figure(read("gbench", text), "x real_time").values == Values{2});
}

TEST_CASE("a benchmark that failed is no figure") {
  CHECK_THAT(failure("gbench", R"({"benchmarks": [{"name": "x", "error_occurred": true,
                                   "error_message": "no disk"}]})"),
             Contains("benchmark 'x' failed: no disk"));
  CHECK_THAT(failure("gbench", R"({"benchmarks": [{"name": "x", "real_time": 1,
                                   "time_unit": "weeks"}]})"),
             Contains("time_unit 'weeks'"));
}

// What Catch2 2.13.10 printed, shortened.
constexpr const char* kCatch2 = R"(<?xml version="1.0" encoding="UTF-8"?>
<Catch name="c2">
  <Group name="c2">
    <TestCase name="sums" filename="c2.cpp" line="4">
      <BenchmarkResults name="add" samples="20" resamples="100000" iterations="73">
        <!--All values in nano seconds-->
        <mean value="619.342" lowerBound="547.603" upperBound="688.071" ci="0.95"/>
        <standardDeviation value="161.191" lowerBound="143.605" upperBound="177.246" ci="0.95"/>
      </BenchmarkResults>
      <OverallResult success="true"/>
    </TestCase>
  </Group>
</Catch>
)";

TEST_CASE("a process of Catch2 gives one estimate") {
  const SampleSet samples = read("catch2", std::string(kCatch2) + kCatch2);
  CHECK(figure(samples, "sums: add mean").values == Values{619.342, 619.342});
  CHECK(samples.processes == 2);
  CHECK_THAT(failure("catch2", "<?xml version=\"1.0\"?>\n<Catch><TestCase"), Contains("not XML"));
}

TEST_CASE("each time of hyperfine is a process") {
  const SampleSet one = read("hyperfine", R"({"results": [{"command": "sort a",
    "mean": 0.5, "times": [0.25, 0.75], "exit_codes": [0, 0]}]})");
  CHECK(figure(one, "time").values == Values{0.25e9, 0.75e9});
  CHECK(one.processes == 0);
  const SampleSet two = read("hyperfine", R"({"results": [
    {"command": "a", "times": [1]}, {"command": "b", "times": [2]}]})");
  CHECK(figure(two, "b time").values == Values{2e9});
  CHECK_THAT(failure("hyperfine", R"({"results": [{"command": "a", "times": [1],
                                      "exit_codes": [3]}]})"),
             Contains("'a' ended with exit code 3"));
}

std::string fio_job(const std::string& clat) {
  return R"({"jobname": "j", "error": 0, "read": {"clat_ns": )" + clat +
         R"(}, "write": {"clat_ns": {"N": 0, "mean": 0}}})";
}

TEST_CASE("a run of fio is one repetition") {
  const std::string job =
      fio_job(R"({"N": 4, "mean": 250, "percentile": {"50.000000": 200, "99.000000": 400},
                  "bins": {"100": 1, "200": 1, "300": 1, "400": 1}})");
  const SampleSet one = read("fio", "fio: a note\n{\"jobs\": [" + job + "]}");
  CHECK(figure(one, "j read clat_ns_mean").values == Values{250});
  CHECK(figure(one, "j read clat_ns_p50").values == Values{200});
  // Two jobs of one name: 8 latencies, of which the fourth is the median, from their bins.
  const std::string other = fio_job(R"({"N": 4, "mean": 450, "bins": {"300": 2, "600": 2}})");
  const SampleSet two = read("fio", "{\"jobs\": [" + job + ", " + other + "]}");
  CHECK(figure(two, "j read clat_ns_mean").values == Values{350});
  CHECK(figure(two, "j read clat_ns_p50").values == Values{300});
  CHECK(figure(two, "j read clat_ns_p99").values == Values{600});
  CHECK_FALSE(figure(two, "j read clat_ns_p99_9").headline);
  CHECK_THAT(failure("fio", R"({"jobs": [{"jobname": "j", "error": 5}]})"), Contains("error 5"));
}

std::string log_of(std::uint64_t value) {
  HistogramLogWriter log(1'700'000'000, "");
  Histogram histogram(HistogramRange{1, 1'000'000, 3});
  histogram.record(value, 10);
  log.add(0, 1, histogram);
  log.add(1, 1, histogram, "write");
  log.add(1, 1, histogram);
  return log.text();
}

TEST_CASE("a log of histograms is one repetition for each tag") {
  const SampleSet samples = read("hlog", log_of(500) + log_of(900));
  CHECK(samples.processes == 2);
  CHECK(figure(samples, "p50").values == Values{500, 900});
  CHECK(figure(samples, "write p99").values == Values{500, 900});
  CHECK_FALSE(figure(samples, "p99_9").headline);
}

TEST_CASE("plain numbers are a process each") {
  const SampleSet samples = read("numbers", "# ms\n1.5\n\n  2e3\r\n3");
  CHECK(figure(samples, "value").values == Values{1.5, 2000, 3});
  CHECK_THAT(failure("numbers", "1\n2 s\n"), Contains("input:2: '2 s' is no number"));
  CHECK_THAT(failure("numbers", "nan\n"), Contains("no finite number"));
}

TEST_CASE("a figure that a process lacks is incomplete") {
  const std::string one = R"({"benchmarks": [{"name": "x", "real_time": 1}]})";
  const std::string two =
      R"({"benchmarks": [{"name": "x", "real_time": 1}, {"name": "y", "real_time": 1}]})";
  const SampleSet samples = read("gbench", one + "\n" + two);
  CHECK_FALSE(samples.is_incomplete(figure(samples, "x real_time")));
  CHECK(samples.is_incomplete(figure(samples, "y real_time")));
}

TEST_CASE("every format refuses a text without figures") {
  for (const SampleFormat* format : all_sample_formats()) {
    INFO(format->name);
    CHECK_THAT(failure(format->name, ""), Contains("no figure found"));
  }
  CHECK_THAT(failure("gbench", "{\"benchmarks\": ["), Contains("cut off"));
  CHECK_THAT(failure("gbench", "{\"a\": " + std::string(100, '[')), Contains("nests deeper"));
  CHECK_THROWS_AS(find_sample_format("xyz"), Error);
}

}  // namespace
}  // namespace tailgate
