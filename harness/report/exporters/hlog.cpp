// HdrHistogram's interval log (.hlog): the intervals of every trial, in the order of execution.
// Results have intervals of service and response times. For the other metrics, and for trials
// without intervals, the log has one interval a trial. Values are in nanoseconds, as HdrHistogram's
// HistogramLogProcessor expects them. It reads only lines without a tag unless it is told a tag, so
// lines have a tag only where the result has several steps, which it may not add up.
#include <fmt/format.h>

#include <charconv>
#include <chrono>

#include "harness/base/error.h"
#include "harness/histogram/histogram_log.h"
#include "harness/report/exporter.h"
#include "harness/result/latency.h"

namespace tailgate {
namespace {

constexpr double kNsPerSecond = 1e9;

// Reads a number of exactly `digits` digits at the index `at`. Returns -1 when there is none.
int number_at(const std::string& text, std::size_t at, std::size_t digits) {
  int number = -1;
  const char* begin = text.data() + at;
  if (*begin == '-') return -1;
  const auto [end, error] = std::from_chars(begin, begin + digits, number);
  return error == std::errc() && end == begin + digits ? number : -1;
}

// Seconds since 1970 of "2026-03-01T12:00:00[.fraction]Z".
double seconds_since_epoch(const std::string& utc) {
  using namespace std::chrono;
  const bool shaped = utc.size() >= 20 && utc[4] == '-' && utc[7] == '-' && utc[10] == 'T' &&
                      utc[13] == ':' && utc[16] == ':' && utc.back() == 'Z';
  if (shaped) {
    const year_month_day date{year{number_at(utc, 0, 4)},
                              month{static_cast<unsigned>(number_at(utc, 5, 2))},
                              day{static_cast<unsigned>(number_at(utc, 8, 2))}};
    const int hour = number_at(utc, 11, 2);
    const int minute = number_at(utc, 14, 2);
    const int second = number_at(utc, 17, 2);
    double fraction = 0;
    const char* rest = utc.data() + 19;
    const char* end = utc.data() + utc.size() - 1;
    const bool whole = rest == end;
    const bool fractional = *rest == '.' && std::from_chars(rest, end, fraction).ptr == end;
    if (date.ok() && date.year() >= year{1970} && hour >= 0 && minute >= 0 && second >= 0 &&
        (whole || fractional)) {
      return static_cast<double>(sys_days(date).time_since_epoch().count()) * 86400.0 +
             hour * 3600.0 + minute * 60.0 + second + fraction;
    }
  }
  throw Error(fmt::format("started_utc = '{}' is not a time", utc),
              "give it as 2026-03-01T12:00:00Z, or run again");
}

void add(HistogramLogWriter& log, const std::string& tag, std::uint64_t start_ns,
         std::uint64_t end_ns, const Latency& latency) {
  const double offset_s = static_cast<double>(start_ns) / kNsPerSecond;
  const double length_s =
      end_ns > start_ns ? static_cast<double>(end_ns - start_ns) / kNsPerSecond : 0;
  log.add(offset_s, length_s, decode_latency(latency), tag);
}

bool has_several_steps(const Result& result) {
  for (const Trial& trial : result.trials) {
    if (trial.step != result.trials.front().step) return true;
  }
  return false;
}

std::string render_hlog(const Result& result, const ExportOptions& options) {
  HistogramLogWriter log(
      seconds_since_epoch(result.started_utc),
      fmt::format("tailgate run {}: {} times in ns", result.id, enum_text(options.metric)));
  const bool tagged = has_several_steps(result);
  bool any = false;
  for (const Trial& trial : result.trials) {
    const Latency* latency = find_latency(trial, options.metric);
    if (latency == nullptr) continue;
    any = true;
    const std::string tag = tagged ? fmt::format("step{}", trial.step) : "";
    const bool service = options.metric == LatencyKind::service;
    const bool cut = service || options.metric == LatencyKind::response;
    if (!cut || trial.intervals.empty()) {
      add(log, tag, trial.start_ns, trial.end_ns, *latency);
      continue;
    }
    for (const Interval& interval : trial.intervals) {
      add(log, tag, interval.start_ns, interval.end_ns,
          service ? interval.service : interval.response);
    }
  }
  if (!any) {
    throw Error(
        fmt::format("no trial of the result recorded the metric '{}'", enum_text(options.metric)),
        "choose another with --metric, or run again");
  }
  return log.text();
}

}  // namespace

constinit const Exporter exporters::hlog = exporter_of<render_hlog, Form::text>(
    "hlog", "interval log, a tag per step of several, for HdrHistogram", ".hlog", true);

}  // namespace tailgate
