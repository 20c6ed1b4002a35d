#include "harness/history/record_maker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "harness/base/base64.h"
#include "harness/base/error.h"
#include "harness/base/quoting.h"
#include "harness/histogram/histogram_codec.h"
#include "harness/history/dates.h"
#include "harness/result/latency.h"
#include "harness/result/load_words.h"

namespace tailgate::history {

Series RecordMaker::of(const std::string& metric, const std::string& unit) const {
  Series series = series_;
  series.metric = metric;
  series.unit = unit;
  return series;
}

void RecordMaker::add(const std::string& metric, const Latency& latency) {
  if (latency.count == 0) return;
  decode_latency(latency);
  record_.distributions.push_back(
      {of(metric, "ns"), from_base64(latency.hdr), std::min(latency.overflow, latency.count)});
}

void RecordMaker::add(const std::string& metric, const Histogram& histogram) {
  if (histogram.total_count() == 0) return;
  record_.distributions.push_back(
      {of(metric, "ns"), encode_v2_compressed(histogram), histogram.overflow_count()});
}

void RecordMaker::add(const std::string& metric, const std::string& unit,
                      std::optional<double> value) {
  if (!value || !std::isfinite(*value)) return;
  record_.figures.push_back({of(metric, unit), *value});
}

Series series_of(const Record& record) {
  Series series;
  series.kind = record.kind;
  series.scenario = record.scenario;
  series.preset = record.preset;
  series.sink = record.sink;
  return series;
}

std::string environment_of(const Machine& machine, const Build& build) {
  std::string facts;
  const auto add = [&facts](std::string_view name, std::string_view value) {
    facts += fmt::format("{}={}\n", printable(name), printable(value));
  };
  add("os", machine.os);
  add("kernel", machine.kernel);
  add("cpu_model", machine.cpu_model);
  add("logical_cpus", fmt::format("{}", machine.logical_cpus));
  add("memory_bytes", fmt::format("{}", machine.memory_bytes));
  add("hypervisor", machine.hypervisor);
  for (const Setting& detail : machine.details) add(detail.name, detail.value);
  add("compiler", build.compiler);
  add("flags", build.flags);
  return facts;
}

std::string load_text(const Load& load) {
  std::string text(enum_text(load.shape));
  if (load.shape != Shape::max) text += fmt::format(" {:.10g}/s", load.rate_hz);
  if (load.shape == Shape::ramp) text += fmt::format(" to {:.10g}/s", load.end_rate_hz);
  if (load.burst_events > 0) {
    text += fmt::format(" of {} every {:.6g} s", load.burst_events, load.burst_gap_s);
  }
  text += fmt::format(", {}{}", load.payload, load.payload.ends_with(')') ? "" : " B");
  return text + writer_words(load);
}

std::int64_t time_of(const std::string& utc, const char* field, const std::string& origin) {
  if (const auto time = unix_ms_of(utc)) return *time;
  throw Error(fmt::format("{}: {} = '{}' is no time such as 2026-11-25T18:00:00Z", origin, field,
                          utc.substr(0, 40)),
              "copy the file again from its source");
}

}  // namespace tailgate::history
