#include "harness/gate/metrics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "harness/result/latency.h"

namespace tailgate {
namespace {

// Then 15 rounds tell two equal Poisson counts from the margin in 999 of 1000 gates (normal
// approximation); from a margin of one deviation they would in seven of ten.
constexpr double kChance = 2;

std::optional<double> per_calls(const DuetSide& side, std::uint64_t count) {
  if (side.events == 0) return {};
  return static_cast<double>(count) * kCallsPerCount / static_cast<double>(side.events);
}

std::optional<double> daemon_cpu_per_event(const DuetSide& side) {
  if (!side.daemon_cpu_ns || side.cpu_events == 0) return {};
  return static_cast<double>(*side.daemon_cpu_ns) / static_cast<double>(side.cpu_events);
}

std::optional<double> optional_ns(const Latency& latency, std::uint64_t ns) {
  if (latency.count == 0) return {};
  return static_cast<double>(ns);
}

std::optional<double> cpu_per_event(const DuetSide& side) {
  if (!side.cpu_ns || side.cpu_events == 0) return {};
  const double used = static_cast<double>(*side.cpu_ns) - static_cast<double>(side.spun_ns);
  return used / static_cast<double>(side.cpu_events);
}

MetricKind quantile(std::string name, std::string help, double tail_share, double margin,
                    double find, std::optional<double> (*value)(const DuetSide&)) {
  return {std::move(name),
          "ns",
          EffectKind::ratio,
          std::move(help),
          margin > 0,
          margin,
          find,
          tail_share,
          0,
          0,
          value};
}

MetricKind count(std::string name, std::string help, double margin,
                 std::optional<double> (*value)(const DuetSide&)) {
  return {std::move(name),
          "per 20k",
          EffectKind::difference,
          std::move(help),
          margin > 0,
          margin,
          0,
          0,
          0,
          kChance,
          value};
}

MetricKind ratio(std::string name, std::string unit, std::string help, double margin,
                 double at_least, std::optional<double> (*value)(const DuetSide&)) {
  return {std::move(name),
          std::move(unit),
          EffectKind::ratio,
          std::move(help),
          margin > 0,
          margin,
          0,
          0,
          at_least,
          0,
          value};
}

using Side = const DuetSide&;

// Response times, gated: they hold both the calls themselves and the waiting behind slow ones.
std::vector<MetricKind> response_kinds() {
  return {
      quantile("response_ns_p50", "median response time", 0.5, 0.05, 0.10,
               [](Side s) { return optional_ns(s.response, s.response.p50_ns); }),
      quantile("response_ns_p90", "90th percentile of the response time", 0.1, 0.10, 0.20,
               [](Side s) { return optional_ns(s.response, s.response.p90_ns); }),
      quantile("response_ns_p99", "99th percentile of the response time", 0.01, 0.15, 0.25,
               [](Side s) { return optional_ns(s.response, s.response.p99_ns); }),
      quantile("response_ns_p99_9", "99.9th percentile of the response time", 0.001, 0.30, 1.0,
               [](Side s) { return optional_ns(s.response, s.response.p99_9_ns); }),
  };
}

std::vector<MetricKind> cost_kinds() {
  return {
      ratio("service_ns_mean", "ns", "mean service time up to the 99th percentile", 0.05, 0,
            [](Side s) {
              return s.service.count == 0 ? std::nullopt : std::optional(s.trimmed_mean_ns);
            }),
      ratio("cpu_ns_per_event", "ns",
            "processor time of provider and daemons per call, waiting taken off", 0.05, 0,
            cpu_per_event),
      ratio("rss_bytes", "bytes", "memory in RAM of provider and daemons at the end", 0.05, 65'536,
            [](Side s) {
              return s.rss_bytes ? std::optional(static_cast<double>(*s.rss_bytes)) : std::nullopt;
            }),
      count("calls_over_100us", "calls longer than 100 us", 2,
            [](Side s) { return per_calls(s, s.over_100us); }),
      count("calls_over_1ms", "calls longer than 1 ms", 0.25,
            [](Side s) { return per_calls(s, s.over_1ms); }),
      count("calls_blocked", "calls longer than 20 us in which the thread blocked", 0.25,
            [](Side s) { return per_calls(s, s.blocked); }),
      {"rate_missed", "of rounds", EffectKind::difference,
       "rounds in which the side fell behind the rate", true, 0.1, 0, 0, 0, 0,
       [](Side s) { return std::optional(s.rate_missed ? 1.0 : 0.0); }},
  };
}

std::vector<MetricKind> reported_kinds() {
  return {
      quantile("response_ns_p99_99", "99.99th percentile of the response time", 0.0001, 0, 0,
               [](Side s) { return optional_ns(s.response, s.response.p99_99_ns); }),
      ratio("response_ns_max", "ns", "longest response time", 0, 0,
            [](Side s) { return optional_ns(s.response, s.response.max_ns); }),
      quantile("service_ns_p50", "median service time", 0.5, 0, 0,
               [](Side s) { return optional_ns(s.service, s.service.p50_ns); }),
      quantile("service_ns_p99", "99th percentile of the service time", 0.01, 0, 0,
               [](Side s) { return optional_ns(s.service, s.service.p99_ns); }),
      quantile("raw_response_ns_p50", "median response time, preempted calls as they were", 0.5, 0,
               0, [](Side s) { return optional_ns(s.raw_response, s.raw_response.p50_ns); }),
      quantile("raw_response_ns_p99", "99th percentile of it", 0.01, 0, 0,
               [](Side s) { return optional_ns(s.raw_response, s.raw_response.p99_ns); }),
      ratio("daemon_ns_per_event", "ns", "processor time of the daemons per call", 0, 0,
            daemon_cpu_per_event),
      ratio("achieved_rate_hz", "Hz", "achieved rate", 0, 0,
            [](Side s) { return std::optional(s.achieved_rate_hz); }),
      count("calls_preempted", "calls longer than 20 us in which the thread was preempted", 0,
            [](Side s) { return per_calls(s, s.preempted); }),
  };
}

// Whether a value can enter an effect of that kind.
bool is_usable(const std::optional<double>& value, EffectKind kind) {
  return value && std::isfinite(*value) && (kind == EffectKind::difference || *value > 0);
}

std::optional<MetricSeries> series_of(const Duet& duet, const MetricKind& kind) {
  MetricSeries series{kind.name, {}, {}};
  for (const DuetRound& round : duet.rounds) {
    if (!is_completed(round)) continue;
    const std::optional<double> a = kind.value(round.a);
    const std::optional<double> b = kind.value(round.b);
    if (!is_usable(a, kind.effect) || !is_usable(b, kind.effect)) return {};
    series.a.push_back(*a);
    series.b.push_back(*b);
  }
  if (series.a.empty()) return {};
  return series;
}

}  // namespace

std::string_view effect_kind_name(EffectKind kind) {
  return kind == EffectKind::ratio ? "ratio" : "difference";
}

const std::vector<MetricKind>& metric_kinds() {
  static const std::vector<MetricKind> kinds = [] {
    std::vector<MetricKind> all = response_kinds();
    for (auto* more : {cost_kinds, reported_kinds}) {
      for (MetricKind& kind : more()) all.push_back(std::move(kind));
    }
    return all;
  }();
  return kinds;
}

const MetricKind* find_metric(std::string_view name) {
  for (const MetricKind& kind : metric_kinds()) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

bool is_completed(const DuetRound& round) {
  return round.a.outcome == kOutcomeCompleted && round.b.outcome == kOutcomeCompleted;
}

std::vector<MetricSeries> metric_series(const Duet& duet) {
  std::vector<MetricSeries> all;
  for (const MetricKind& kind : metric_kinds()) {
    if (auto series = series_of(duet, kind)) all.push_back(std::move(*series));
  }
  return all;
}

std::uint64_t events_per_round(const Duet& duet) {
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  std::uint64_t rounds = 0;
  for (const DuetRound& round : duet.rounds) {
    if (!is_completed(round)) continue;
    a += round.a.events;
    b += round.b.events;
    ++rounds;
  }
  return rounds == 0 ? 0 : std::min(a, b) / rounds;
}

std::vector<double> effects_of(const MetricSeries& series, EffectKind kind) {
  std::vector<double> effects;
  for (std::size_t i = 0; i < series.a.size(); ++i) {
    effects.push_back(kind == EffectKind::ratio ? std::log(series.b[i] / series.a[i])
                                                : series.b[i] - series.a[i]);
  }
  return effects;
}

}  // namespace tailgate
