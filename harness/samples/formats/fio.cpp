// fio's JSON: --output-format=json+ or json. A document is one run of fio; its jobs run at the same
// time and disturb each other, so they are figures of one repetition.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "harness/base/error.h"
#include "harness/samples/format.h"
#include "harness/samples/json_documents.h"

namespace tailgate {
namespace {

using nlohmann::json;

struct Percentile {
  std::string_view metric;
  const char* key;  // in fio's list
  double share;
  bool headline;
};

constexpr std::array<Percentile, 3> kPercentiles = {{
    {"clat_ns_p50", "50.000000", 0.5, true},
    {"clat_ns_p99", "99.000000", 0.99, true},
    {"clat_ns_p99_9", "99.900000", 0.999, false},
}};

// Latencies of all jobs of one name and direction: their sum and number, and counts by latency.
struct Latencies {
  double sum_ns = 0;
  double count = 0;
  std::size_t jobs = 0;
  std::map<std::uint64_t, double> bins;  // json+ alone
  std::array<std::optional<double>, kPercentiles.size()> listed;
};

void add_bins(const json& bins, std::map<std::uint64_t, double>& into) {
  for (const auto& [text, count] : bins.items()) {
    std::uint64_t latency_ns = 0;
    const char* end = text.data() + text.size();
    if (std::from_chars(text.data(), end, latency_ns).ptr != end || !count.is_number()) continue;
    into[latency_ns] += count.get<double>();
  }
}

void add_job(const json& clat, Latencies& into) {
  const double count = number_member(clat, "N").value_or(0);
  if (!(count > 0)) return;
  ++into.jobs;
  into.count += count;
  into.sum_ns += number_member(clat, "mean").value_or(0) * count;
  if (const json* bins = member(clat, "bins"); bins != nullptr && bins->is_object()) {
    add_bins(*bins, into.bins);
  }
  if (const json* listed = member(clat, "percentile")) {
    for (std::size_t i = 0; i < kPercentiles.size(); ++i) {
      into.listed[i] = number_member(*listed, kPercentiles[i].key);
    }
  }
}

// The smallest bin at or below which the share of all latencies lies.
double percentile_of(const std::map<std::uint64_t, double>& bins, double share) {
  double all = 0;
  for (const auto& [latency_ns, count] : bins) all += count;
  double below = 0;
  for (const auto& [latency_ns, count] : bins) {
    below += count;
    if (below >= share * all) return static_cast<double>(latency_ns);
  }
  return 0;
}

void report(const std::string& name, const Latencies& latencies, SampleCollector& into) {
  if (latencies.jobs == 0) return;
  into.add({name, "clat_ns_mean", "ns"}, latencies.sum_ns / latencies.count);
  for (std::size_t i = 0; i < kPercentiles.size(); ++i) {
    const Percentile& which = kPercentiles[i];
    std::optional<double> value = latencies.listed[i];
    if (latencies.jobs > 1) {
      value.reset();  // percentiles of several jobs cannot be joined, bins can
      if (!latencies.bins.empty()) value = percentile_of(latencies.bins, which.share);
    }
    if (value) into.add({name, which.metric, "ns", which.headline}, *value);
  }
}

void read_fio_process(const json& document, SampleCollector& into) {
  std::map<std::string, Latencies> all;
  for (const json& job : list_member(document, "jobs")) {
    const std::string name = text_member(job, "jobname");
    if (number_member(job, "error").value_or(0) != 0) {
      throw Error(fmt::format("{}: job '{}' ended with error {}", into.origin(), name,
                              *number_member(job, "error")),
                  "correct the job; fio's own message says what failed");
    }
    for (const char* direction : {"read", "write", "trim"}) {
      const json* side = member(job, direction);
      const json* clat = side == nullptr ? nullptr : member(*side, "clat_ns");
      if (clat != nullptr) add_job(*clat, all[name + " " + direction]);
    }
  }
  for (const auto& [name, latencies] : all) report(name, latencies, into);
  into.end_process();
}

void read_fio(std::string_view text, SampleCollector& into) {
  visit_documents(text, into.origin(),
                  [&](const json& document) { read_fio_process(document, into); });
}

}  // namespace

constinit const SampleFormat sample_formats::fio = {
    "fio", "fio's JSON (--output-format=json+): completion latencies, one run per document",
    "run fio once per repetition with --output-format=json+: a file each, or all after each other "
    "in one file",
    read_fio};

}  // namespace tailgate
