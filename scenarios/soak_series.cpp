#include "scenarios/soak_series.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "harness/result/latency.h"
#include "harness/stats/quantile_interval.h"

namespace tailgate {
namespace {

// A soak has about so many points: enough for a trend, and each has many calls.
constexpr double kPoints = 60;
constexpr double kNsPerHour = 3600e9;
constexpr double kConfidence = 0.95;
constexpr double kFalseAlarms = 0.05;  // of all judged series together

// Less than this, over the whole soak, is no drift that matters.
constexpr double kLeastDriftShare = 0.05;       // of a percentile …
constexpr double kLeastDriftNs = 5;             // … which the clock's steps bound, too
constexpr double kLeastDriftBytes = 512e3;      // the kernel's count of a process's pages may lag
constexpr double kLeastDriftDescriptors = 0.9;  // one

double hours_of(const Trial& trial) {
  if (trial.start_ns == 0 || trial.end_ns <= trial.start_ns) return 0;
  return static_cast<double>(trial.end_ns - trial.start_ns) / kNsPerHour;
}

std::uint64_t length_ns(const Interval& interval) {
  return interval.end_ns - interval.start_ns;
}

// What follows it belongs to it, too. Levels are those of its end.
void add(const Interval& next, Interval& point) {
  point.end_ns = next.end_ns;
  point.service = joined(point.service, next.service);
  point.response = joined(point.response, next.response);
  point.roles = next.roles;
}

// Joins neighbours to about `most` intervals of one length. The last one of a trial is short and
// has the sink's end in it, so it is left out.
std::vector<Interval> points_of(const Trial& trial, double most) {
  std::vector<Interval> all = trial.intervals;
  if (all.size() > 1 && length_ns(all.back()) < length_ns(all.front())) all.pop_back();
  const auto each = static_cast<std::size_t>(
      std::max(1.0, std::floor(static_cast<double>(all.size()) / std::max(1.0, most))));
  std::vector<Interval> points;
  for (std::size_t i = 0; i + each <= all.size(); i += each) {
    Interval point = std::move(all[i]);
    for (std::size_t k = 1; k < each; ++k) add(all[i + k], point);
    points.push_back(std::move(point));
  }
  return points;
}

struct Part {
  const Trial* trial;
  std::vector<Interval> points;

  double hours(std::uint64_t at_ns) const {
    return (static_cast<double>(at_ns) - static_cast<double>(trial->start_ns)) / kNsPerHour;
  }
};

std::vector<Part> parts_of(const Result& result) {
  const double hours = soak_hours(result);
  std::vector<Part> parts;
  for (const Trial& trial : result.trials) {
    if (trial.measured == 0 || hours_of(trial) <= 0) continue;
    parts.push_back({&trial, points_of(trial, kPoints * hours_of(trial) / hours)});
  }
  return parts;
}

using Value = std::function<std::optional<double>(const Interval&)>;

// at_end: the value is that of the interval's end, else of all of it.
void add_series(SoakSeries series, const std::vector<Part>& parts, const Value& value, bool at_end,
                std::vector<SoakSeries>& all) {
  bool any = false;
  for (const Part& part : parts) {
    std::vector<Point>& points = series.parts.emplace_back();
    for (const Interval& interval : part.points) {
      const auto y = value(interval);
      if (!y) continue;
      const std::uint64_t at_ns =
          at_end ? interval.end_ns : interval.start_ns + length_ns(interval) / 2;
      points.push_back({part.hours(at_ns), *y});
      any = true;
    }
  }
  if (any) all.push_back(std::move(series));
}

struct Percentile {
  const char* name;
  const char* words;
  std::uint64_t Latency::*value;
  std::uint64_t least_calls;  // so many have one beyond it
};
constexpr Percentile kPercentiles[] = {{"p50", "p50", &Latency::p50_ns, 10},
                                       {"p99", "p99", &Latency::p99_ns, 100},
                                       {"p99_9", "p99.9", &Latency::p99_9_ns, 1000}};

void add_latencies(const std::vector<Part>& parts, std::vector<SoakSeries>& all) {
  for (const auto& [kind, times] :
       {std::pair("response", &Interval::response), std::pair("service", &Interval::service)}) {
    for (const Percentile& percentile : kPercentiles) {
      const bool told = std::all_of(parts.begin(), parts.end(), [&](const Part& part) {
        return std::all_of(part.points.begin(), part.points.end(), [&](const Interval& interval) {
          return (interval.*times).count >= percentile.least_calls;
        });
      });
      if (!told) continue;
      add_series(
          {.name = std::string(kind) + "_" + percentile.name + "_ns",
           .words = std::string(kind) + " " + percentile.words,
           .parts = {}},
          parts,
          [&](const Interval& interval) {
            return static_cast<double>((interval.*times).*percentile.value);
          },
          false, all);
    }
  }
}

std::optional<double> level_of(const Interval& interval, const char* role,
                               Counters::Count Counters::*level) {
  for (const RoleUse& use : interval.roles) {
    if (use.role != role || use.processes == 0 || !(use.counters.*level)) continue;
    return static_cast<double>(*(use.counters.*level));
  }
  return std::nullopt;
}

void add_levels(const std::vector<Part>& parts, std::vector<SoakSeries>& all) {
  for (const auto& [role, name] : {std::pair("provider", "program"), {"daemons", "daemons"}}) {
    const std::string owner = name == std::string("program") ? "the program's" : "the daemons'";
    const auto add = [&](const std::string& end, const std::string& words, SoakUnit unit,
                         bool judged, Counters::Count Counters::*level) {
      add_series(
          {.name = name + end, .words = owner + words, .unit = unit, .judged = judged, .parts = {}},
          parts, [&](const Interval& interval) { return level_of(interval, role, level); }, true,
          all);
    };
    add("_private_bytes", " own memory", SoakUnit::bytes, true, &Counters::private_bytes);
    add("_descriptors", " descriptors", SoakUnit::descriptors, true, &Counters::descriptors);
    // It has the mapped files of a log in it, which grow.
    add("_rss_bytes", " resident memory", SoakUnit::bytes, false, &Counters::rss_bytes);
  }
}

void add_files(const std::vector<Part>& parts, std::vector<SoakSeries>& all) {
  SoakSeries files{.name = "files_bytes",
                   .words = "the files",
                   .unit = SoakUnit::bytes,
                   .judged = false,
                   .parts = {}};
  for (const Part& part : parts) {
    if (!part.trial->storage || part.trial->storage->kept.size() < 2) continue;
    const std::vector<StorageLook>& looks = part.trial->storage->kept;
    const std::size_t each = std::max<std::size_t>(1, looks.size() / std::size_t{60});
    std::vector<Point>& points = files.parts.emplace_back();
    // The last look is after the end.
    for (std::size_t i = 0; i + 1 < looks.size(); i += each) {
      if (looks[i].at_ns < part.trial->start_ns) continue;
      points.push_back({part.hours(looks[i].at_ns), static_cast<double>(looks[i].bytes)});
    }
  }
  if (!files.parts.empty()) all.push_back(std::move(files));
}

double least_that_matters(const SoakSeries& series) {
  switch (series.unit) {
    case SoakUnit::time_ns:
      return std::max(kLeastDriftNs, kLeastDriftShare * series.level());
    case SoakUnit::bytes:
      return kLeastDriftBytes;
    case SoakUnit::descriptors:
      return kLeastDriftDescriptors;
  }
  return 0;
}

}  // namespace

double SoakSeries::level() const {
  std::vector<double> values;
  for (const std::vector<Point>& part : parts) {
    for (const Point& point : part) values.push_back(point.y);
  }
  return values.empty() ? 0 : median(values);
}

double soak_hours(const Result& result) {
  double hours = 0;
  for (const Trial& trial : result.trials) hours += hours_of(trial);
  return hours;
}

std::vector<SoakSeries> soak_series(const Result& result) {
  const std::vector<Part> parts = parts_of(result);
  std::vector<SoakSeries> all;
  if (parts.empty()) return all;
  add_latencies(parts, all);
  add_levels(parts, all);
  add_files(parts, all);
  for (SoakSeries& series : all) series.trend = trend_of(series.parts, kConfidence);
  return all;
}

// What was added to a level stays, so its steps tell, too: either test may, at half of the p.
double p_of(const SoakSeries& series) {
  const bool keeps = series.unit != SoakUnit::time_ns;
  const Trend& trend = *series.trend;
  return keeps ? std::min(1.0, 2 * std::min(trend.p, trend.step_p)) : trend.p;
}

bool drifts_upward(const SoakSeries& series, std::size_t judged, double hours) {
  if (!series.judged || !series.trend) return false;
  return series.trend->slope.slope * hours >= least_that_matters(series) &&
         p_of(series) * static_cast<double>(judged) < kFalseAlarms;
}

}  // namespace tailgate
