#include "harness/gate/metrics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "harness/result/latency.h"

namespace tailgate {
namespace {

std::optional<double> per_calls(const DuetSide& side, std::uint64_t count) {
  if (side.events == 0) return {};
  return static_cast<double>(count) * kCallsPerCount / static_cast<double>(side.events);
}

std::optional<double> daemon_cpu_per_event(const DuetSide& side) {
  if (!side.daemon_cpu_ns || side.cpu_events == 0) return {};
  return static_cast<double>(*side.daemon_cpu_ns) / static_cast<double>(side.cpu_events);
}

// A figure of a distribution, where it has values.
std::optional<double> figure_of(const Latency& latency, std::uint64_t ns) {
  if (latency.count == 0) return {};
  return static_cast<double>(ns);
}

std::optional<double> cpu_per_event(const DuetSide& side) {
  if (!side.cpu_ns || side.cpu_events == 0) return {};
  const double used = static_cast<double>(*side.cpu_ns) - static_cast<double>(side.spun_ns);
  return used / static_cast<double>(side.cpu_events);
}

using Side = const DuetSide&;

// What is gated comes first, then what is as a rule only reported; each has an entry in
// default_policy.toml.
constexpr MetricKind kMetrics[] = {
    {.name = "response_ns_p50",
     .unit = "ns",
     .effect = EffectKind::ratio,
     .help = "median response time",
     .tail_share = 0.5,
     .value = [](Side s) { return figure_of(s.response, s.response.p50_ns); }},
    {.name = "response_ns_p90",
     .unit = "ns",
     .effect = EffectKind::ratio,
     .help = "90th percentile of the response time",
     .tail_share = 0.1,
     .value = [](Side s) { return figure_of(s.response, s.response.p90_ns); }},
    {.name = "response_ns_p99",
     .unit = "ns",
     .effect = EffectKind::ratio,
     .help = "99th percentile of the response time",
     .tail_share = 0.01,
     .value = [](Side s) { return figure_of(s.response, s.response.p99_ns); }},
    {.name = "response_ns_p99_9",
     .unit = "ns",
     .effect = EffectKind::ratio,
     .help = "99.9th percentile of the response time",
     .tail_share = 0.001,
     .value = [](Side s) { return figure_of(s.response, s.response.p99_9_ns); }},
    {.name = "service_ns_mean",
     .unit = "ns",
     .effect = EffectKind::ratio,
     .help = "mean service time up to the 99th percentile",
     .value =
         [](Side s) {
           return s.service.count == 0 ? std::nullopt : std::optional(s.trimmed_mean_ns);
         }},
    {.name = "cpu_ns_per_event",
     .unit = "ns",
     .effect = EffectKind::ratio,
     .help = "processor time of provider and daemons per call, waiting taken off",
     .value = cpu_per_event},
    {.name = "rss_bytes",
     .unit = "bytes",
     .effect = EffectKind::ratio,
     .help = "memory in RAM of provider and daemons at the end",
     .value =
         [](Side s) {
           return s.rss_bytes ? std::optional(static_cast<double>(*s.rss_bytes)) : std::nullopt;
         }},
    {.name = "calls_over_100us",
     .unit = "per 20k",
     .effect = EffectKind::difference,
     .help = "calls longer than 100 us",
     .counts_calls = true,
     .value = [](Side s) { return per_calls(s, s.over_100us); }},
    {.name = "calls_over_1ms",
     .unit = "per 20k",
     .effect = EffectKind::difference,
     .help = "calls longer than 1 ms",
     .counts_calls = true,
     .value = [](Side s) { return per_calls(s, s.over_1ms); }},
    {.name = "calls_blocked",
     .unit = "per 20k",
     .effect = EffectKind::difference,
     .help = "calls longer than 20 us in which the thread blocked",
     .counts_calls = true,
     .value = [](Side s) { return per_calls(s, s.blocked); }},
    {.name = "rate_missed",
     .unit = "of rounds",
     .effect = EffectKind::difference,
     .help = "rounds in which the side fell behind the rate",
     .value = [](Side s) { return std::optional(s.rate_missed ? 1.0 : 0.0); }},
    {.name = "response_ns_p99_99",
     .unit = "ns",
     .effect = EffectKind::ratio,
     .help = "99.99th percentile of the response time",
     .tail_share = 0.0001,
     .value = [](Side s) { return figure_of(s.response, s.response.p99_99_ns); }},
    {.name = "response_ns_max",
     .unit = "ns",
     .effect = EffectKind::ratio,
     .help = "longest response time",
     .value = [](Side s) { return figure_of(s.response, s.response.max_ns); }},
    {.name = "service_ns_p50",
     .unit = "ns",
     .effect = EffectKind::ratio,
     .help = "median service time",
     .tail_share = 0.5,
     .value = [](Side s) { return figure_of(s.service, s.service.p50_ns); }},
    {.name = "service_ns_p99",
     .unit = "ns",
     .effect = EffectKind::ratio,
     .help = "99th percentile of the service time",
     .tail_share = 0.01,
     .value = [](Side s) { return figure_of(s.service, s.service.p99_ns); }},
    {.name = "raw_response_ns_p50",
     .unit = "ns",
     .effect = EffectKind::ratio,
     .help = "median response time, preempted calls as they were",
     .tail_share = 0.5,
     .value = [](Side s) { return figure_of(s.raw_response, s.raw_response.p50_ns); }},
    {.name = "raw_response_ns_p99",
     .unit = "ns",
     .effect = EffectKind::ratio,
     .help = "99th percentile of it",
     .tail_share = 0.01,
     .value = [](Side s) { return figure_of(s.raw_response, s.raw_response.p99_ns); }},
    {.name = "daemon_ns_per_event",
     .unit = "ns",
     .effect = EffectKind::ratio,
     .help = "processor time of the daemons per call",
     .value = daemon_cpu_per_event},
    {.name = "achieved_rate_hz",
     .unit = "Hz",
     .effect = EffectKind::ratio,
     .help = "achieved rate",
     .value = [](Side s) { return std::optional(s.achieved_rate_hz); }},
    {.name = "calls_preempted",
     .unit = "per 20k",
     .effect = EffectKind::difference,
     .help = "calls longer than 20 us in which the thread was preempted",
     .counts_calls = true,
     .value = [](Side s) { return per_calls(s, s.preempted); }},
};

// Whether a value can enter an effect of that kind.
bool is_usable(const std::optional<double>& value, EffectKind kind) {
  return value && std::isfinite(*value) && (kind == EffectKind::difference || *value > 0);
}

std::optional<MetricSeries> series_of(const Duet& duet, const MetricKind& kind) {
  MetricSeries series{std::string(kind.name), {}, {}};
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

std::span<const MetricKind> metric_kinds() {
  return kMetrics;
}

const MetricKind* find_metric(std::string_view name) {
  for (const MetricKind& kind : kMetrics) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

bool is_completed(const DuetRound& round) {
  return round.a.outcome == TrialOutcome::completed && round.b.outcome == TrialOutcome::completed;
}

std::vector<MetricSeries> metric_series(const Duet& duet) {
  std::vector<MetricSeries> all;
  for (const MetricKind& kind : kMetrics) {
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
