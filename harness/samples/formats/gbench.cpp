// Google Benchmark's JSON: --benchmark_format=json, --benchmark_out_format=json.
//
// The repetitions of --benchmark_repetitions run in one process, so they are its values and not
// repetitions of their own.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "harness/base/error.h"
#include "harness/samples/format.h"
#include "harness/samples/json_documents.h"

namespace tailgate {
namespace {

using nlohmann::json;

// Nanoseconds in a time_unit; the tool leaves the field out of figures that are no times.
double ns_per(const std::string& time_unit, const std::string& origin) {
  if (time_unit == "ns" || time_unit.empty()) return 1;
  if (time_unit == "us") return 1e3;
  if (time_unit == "ms") return 1e6;
  if (time_unit == "s") return 1e9;
  throw Error(fmt::format("{}: time_unit '{}' is unknown", origin, time_unit),
              "let the benchmarks report times in ns, us, ms or s");
}

void read_entry(const json& entry, SampleCollector& into) {
  std::string name = text_member(entry, "run_name");
  if (name.empty()) name = text_member(entry, "name");
  const json* failed = member(entry, "error_occurred");
  if (failed != nullptr && *failed == true) {
    throw Error(fmt::format("{}: benchmark '{}' failed: {}", into.origin(), name,
                            text_member(entry, "error_message")),
                "correct it, or leave it out with --benchmark_filter");
  }
  const double ns = ns_per(text_member(entry, "time_unit"), into.origin());
  for (const char* metric : {"real_time", "cpu_time"}) {
    if (const auto value = number_member(entry, metric)) {
      into.add({name, metric, "ns"}, *value * ns);
    }
  }
}

bool is_run(const json& entry) {
  return text_member(entry, "run_type") != "aggregate";
}

// With --benchmark_report_aggregates_only a process tells the median of its runs alone.
bool is_median(const json& entry) {
  return text_member(entry, "aggregate_name") == "median";
}

void read_gbench_process(const json& document, SampleCollector& into) {
  if (const json* context = member(document, "context")) {
    const std::string host = text_member(*context, "host_name");
    if (!host.empty()) into.add_machine(host);
  }
  const json& entries = list_member(document, "benchmarks");
  bool any_run = false;
  for (const json& entry : entries) any_run = any_run || is_run(entry);
  for (const json& entry : entries) {
    if (any_run ? is_run(entry) : is_median(entry)) read_entry(entry, into);
  }
  into.end_process();
}

void read_gbench(std::string_view text, SampleCollector& into) {
  visit_documents(text, into.origin(),
                  [&](const json& document) { read_gbench_process(document, into); });
}

}  // namespace

constinit const SampleFormat sample_formats::gbench = {
    "gbench", "Google Benchmark's JSON (--benchmark_format=json), one process per document",
    "start the program once per repetition with --benchmark_format=json: a file each, or all after "
    "each other in one file",
    read_gbench};

}  // namespace tailgate
