// The gate on every format, with an answer that is known: values of one program whose repetitions
// are dealt to the sides at random, and values with a planted change.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <iterator>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "harness/gate/sample_gate.h"
#include "harness/histogram/histogram_log.h"
#include "harness/samples/format.h"

namespace tailgate {
namespace {

using Values = std::vector<double>;  // one per process

// What each tool prints for processes that measured these times in nanoseconds.

std::string gbench_text(const Values& values) {
  std::string text;
  for (const double ns : values) {
    text += fmt::format(
        R"({{"context": {{"host_name": "vm"}}, "benchmarks": [
  {{"name": "x", "run_name": "x", "run_type": "iteration", "real_time": {0}, "cpu_time": {1},
    "time_unit": "ns"}},
  {{"name": "x", "run_name": "x", "run_type": "iteration", "real_time": {0}, "cpu_time": {1},
    "time_unit": "ns"}}]}}
)",
        ns, 0.9 * ns);
  }
  return text;
}

std::string catch2_text(const Values& values) {
  std::string text;
  for (const double ns : values) {
    text +=
        fmt::format(R"(<?xml version="1.0"?><Catch><TestCase name="t"><BenchmarkResults name="x">)"
                    R"(<mean value="{}"/></BenchmarkResults></TestCase></Catch>)",
                    ns);
  }
  return text;
}

std::string hyperfine_text(const Values& values) {
  std::string times;
  for (const double ns : values) times += fmt::format("{}{}", times.empty() ? "" : ",", ns / 1e9);
  return fmt::format(R"({{"results": [{{"command": "x", "times": [{}]}}]}})", times);
}

std::string fio_text(const Values& values) {
  std::string text;
  for (const double ns : values) {
    text += fmt::format(
        R"({{"jobs": [{{"jobname": "x", "error": 0, "read": {{"clat_ns": {{"N": 10, "mean": {},
  "percentile": {{"50.000000": {}, "99.000000": {}}}}}}}}}]}}
)",
        ns, 0.8 * ns, 3 * ns);
  }
  return text;
}

std::string hlog_text(const Values& values) {
  std::string text;
  for (const double ns : values) {
    HistogramLogWriter log(1'700'000'000, "");
    Histogram histogram(HistogramRange{1, 100'000'000, 3});
    histogram.record(static_cast<std::uint64_t>(ns), 99);
    histogram.record(static_cast<std::uint64_t>(4 * ns), 1);
    log.add(0, 1, histogram);
    text += log.text();
  }
  return text;
}

std::string numbers_text(const Values& values) {
  std::string text;
  for (const double ns : values) text += fmt::format("{}\n", ns);
  return text;
}

using Writer = std::string (*)(const Values& values);

const std::map<std::string_view, Writer>& writers() {
  static const std::map<std::string_view, Writer> all = {
      {"catch2", catch2_text},       {"fio", fio_text},
      {"gbench", gbench_text},       {"hlog", hlog_text},
      {"hyperfine", hyperfine_text}, {"numbers", numbers_text}};
  return all;
}

VerdictOutcome verdict_on(std::string_view format_name, const Values& a, const Values& b) {
  const SampleFormat& format = find_sample_format(format_name);
  const Writer write = writers().at(format_name);
  SampleComparison comparison;
  comparison.format = format.name;
  comparison.more = format.more;
  comparison.a = read_samples(format, write(a), "a");
  comparison.b = read_samples(format, write(b), "b");
  return judge_samples(comparison, default_policy()).outcome;
}

TEST_CASE("every format has a writer here") {
  for (const SampleFormat* format : all_sample_formats()) CHECK(writers().contains(format->name));
}

// A program with two modes 40 % apart, as by the layout of its memory, and a heavy tail: most
// divisions of its repetitions differ by more than the margin.
Values one_program(std::size_t processes, std::mt19937_64& random) {
  std::student_t_distribution<double> heavy(3);
  std::bernoulli_distribution slow(0.4);
  Values values;
  for (std::size_t i = 0; i < processes; ++i) {
    const double ns = 1e5 * (slow(random) ? 1.4 : 1.0) * (1 + 0.02 * heavy(random));
    values.push_back(std::clamp(ns, 1e4, 1e6));
  }
  return values;
}

TEST_CASE("repetitions of one program fail at most once in a thousand divisions", "[long]") {
  constexpr int kDivisions = 400;  // of each format
  constexpr std::string_view kFormats[] = {"catch2", "fio",       "gbench",
                                           "hlog",   "hyperfine", "numbers"};
  constexpr int kAll = kDivisions * static_cast<int>(std::size(kFormats));
  std::mt19937_64 random(17);
  Values values = one_program(14, random);
  int fails = 0;
  int seeming = 0;  // divisions whose means differ by more than the margin
  for (const std::string_view format : kFormats) {
    for (int division = 0; division < kDivisions; ++division) {
      std::shuffle(values.begin(), values.end(), random);
      const Values a(values.begin(), values.begin() + 7);
      const Values b(values.begin() + 7, values.end());
      const double sum_a = std::accumulate(a.begin(), a.end(), 0.0);
      const double sum_b = std::accumulate(b.begin(), b.end(), 0.0);
      seeming += sum_b > 1.05 * sum_a ? 1 : 0;
      fails += verdict_on(format, a, b) == VerdictOutcome::fail ? 1 : 0;
    }
  }
  CHECK(fails <= kAll / 1000);
  CHECK(seeming > kAll / 5);  // so a comparison of means would have failed as often
}

TEST_CASE("ten per cent are found in every format, and nothing where nothing was planted") {
  const std::string_view format =
      GENERATE("catch2", "fio", "gbench", "hlog", "hyperfine", "numbers");
  INFO(format);
  std::mt19937_64 random(23);
  std::normal_distribution<double> noise(1e5, 1.5e3);
  for (int time = 0; time < 20; ++time) {
    Values a;
    Values same;
    Values worse;
    for (int i = 0; i < 12; ++i) {
      a.push_back(noise(random));
      same.push_back(noise(random));
      worse.push_back(1.1 * noise(random));
    }
    CHECK(verdict_on(format, a, worse) == VerdictOutcome::fail);
    CHECK(verdict_on(format, a, same) == VerdictOutcome::pass);
  }
}

}  // namespace
}  // namespace tailgate
