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

// Events that the sink lost, of 20,000 emitted.
std::optional<double> lost_per_calls(const DuetSide& side) {
  if (side.ledger.emitted == 0) return {};
  return static_cast<double>(side.ledger.lost) * kCallsPerCount /
         static_cast<double>(side.ledger.emitted);
}

std::optional<double> in_ms(const std::optional<std::uint64_t>& ns) {
  return ns ? std::optional(static_cast<double>(*ns) / 1e6) : std::nullopt;
}

// Time spent in slow calls, of 20,000 calls.
std::optional<double> ms_per_calls(const DuetSide& side, const std::optional<std::uint64_t>& ns) {
  const std::optional<double> ms = in_ms(ns);
  if (!ms || side.events == 0) return {};
  return *ms * kCallsPerCount / static_cast<double>(side.events);
}

std::optional<double> per_event(const std::optional<std::uint64_t>& count, std::uint64_t events) {
  if (!count || events == 0) return {};
  return static_cast<double>(*count) / static_cast<double>(events);
}

std::optional<double> cut_share(const DuetSide& side) {
  if (side.drains == 0) return 0;
  return static_cast<double>(side.drains_cut_short) / static_cast<double>(side.drains);
}

// The largest figure of any load thread, where there are several.
template <std::uint64_t DuetThread::*kFigure>
std::optional<double> of_worst_thread(const DuetSide& side, const DuetSide&) {
  std::optional<double> worst;
  if (!side.threads) return worst;
  for (const DuetThread& thread : *side.threads) {
    if (thread.events == 0) continue;
    worst = std::max(worst.value_or(0), static_cast<double>(thread.*kFigure));
  }
  return worst;
}

// The other side's turns show what this one leaves behind for them. In percent, of small effects.
std::optional<double> left_behind(const DuetSide& side, const DuetSide& other) {
  if (!side.carry_over || !other.carry_over) return {};
  return *other.carry_over / 2 * 100;
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
     .value = [](Side s, Side) { return figure_of(s.response, s.response.p50_ns); }},
    {.name = "response_ns_p90",
     .unit = "ns",
     .effect = EffectKind::ratio,
     .help = "90th percentile of the response time",
     .tail_share = 0.1,
     .value = [](Side s, Side) { return figure_of(s.response, s.response.p90_ns); }},
    {.name = "response_ns_p99",
     .unit = "ns",
     .effect = EffectKind::ratio,
     .help = "99th percentile of the response time",
     .tail_share = 0.01,
     .value = [](Side s, Side) { return figure_of(s.response, s.response.p99_ns); }},
    {.name = "response_ns_p99_9",
     .unit = "ns",
     .effect = EffectKind::ratio,
     .help = "99.9th percentile of the response time",
     .tail_share = 0.001,
     .value = [](Side s, Side) { return figure_of(s.response, s.response.p99_9_ns); }},
    {.name = "worst_thread_ns_p50",
     .unit = "ns",
     .effect = EffectKind::ratio,
     .help = "largest median response time of a load thread, where there are several",
     .of_several_threads = true,
     .value = of_worst_thread<&DuetThread::response_ns_p50>},
    {.name = "worst_thread_ns_p99",
     .unit = "ns",
     .effect = EffectKind::ratio,
     .help = "largest 99th percentile of a load thread, where there are several",
     .of_several_threads = true,
     .value = of_worst_thread<&DuetThread::response_ns_p99>},
    {.name = "tail_ns_mean",
     .unit = "ns",
     .effect = EffectKind::ratio,
     .help = "mean response time from the 99th percentile to the 99.9th",
     .value = [](Side s, Side) { return s.tail_mean_ns; }},
    {.name = "service_ns_mean",
     .unit = "ns",
     .effect = EffectKind::ratio,
     .help = "mean service time up to the 99th percentile",
     .value =
         [](Side s, Side) {
           return s.service.count == 0 ? std::nullopt : std::optional(s.trimmed_mean_ns);
         }},
    {.name = "cpu_ns_per_event",
     .unit = "ns",
     .effect = EffectKind::ratio,
     .help = "processor time of provider and daemons per call, waiting taken off",
     .value = [](Side s, Side) { return cpu_per_event(s); }},
    {.name = "rss_bytes",
     .unit = "bytes",
     .effect = EffectKind::ratio,
     .help = "memory in RAM of provider and daemons at the end",
     .value =
         [](Side s, Side) {
           return s.rss_bytes ? std::optional(static_cast<double>(*s.rss_bytes)) : std::nullopt;
         }},
    {.name = "syscalls_per_event",
     .unit = "per event",
     .effect = EffectKind::difference,
     .help = "system calls of provider and daemons per call",
     .value = [](Side s,
                 Side) { return per_event(s.system_calls, s.system_call_events.value_or(0)); }},
    {.name = "written_bytes_per_event",
     .unit = "bytes",
     .effect = EffectKind::difference,
     .help = "bytes that provider and daemons pass to write calls, per call",
     .value = [](Side s, Side) { return per_event(s.written_bytes, s.cpu_events); }},
    {.name = "start_ms",
     .unit = "ms",
     .effect = EffectKind::ratio,
     .help = "time to start the session and to open the sink",
     .value = [](Side s, Side) { return in_ms(s.start_ns); }},
    {.name = "stop_ms",
     .unit = "ms",
     .effect = EffectKind::ratio,
     .help = "time to close the sink and to stop the session",
     .value = [](Side s, Side) { return in_ms(s.stop_ns); }},
    {.name = "calls_over_100us",
     .unit = "per 20k",
     .effect = EffectKind::difference,
     .help = "calls longer than 100 us",
     .count = CountOf::calls,
     .value = [](Side s, Side) { return per_calls(s, s.over_100us); }},
    {.name = "calls_over_1ms",
     .unit = "per 20k",
     .effect = EffectKind::difference,
     .help = "calls longer than 1 ms",
     .count = CountOf::calls,
     .value = [](Side s, Side) { return per_calls(s, s.over_1ms); }},
    {.name = "calls_blocked",
     .unit = "per 20k",
     .effect = EffectKind::difference,
     .help = "calls longer than 20 us in which the thread blocked",
     .count = CountOf::calls,
     .value = [](Side s, Side) { return per_calls(s, s.blocked); }},
    {.name = "calls_preempted",
     .unit = "per 20k",
     .effect = EffectKind::difference,
     .help = "calls longer than 20 us in which the thread was preempted",
     .count = CountOf::calls,
     .value = [](Side s, Side) { return per_calls(s, s.preempted); }},
    {.name = "calls_stolen",
     .unit = "per 20k",
     .effect = EffectKind::difference,
     .help = "calls longer than 20 us that the hypervisor interrupted",
     .count = CountOf::calls,
     .value = [](Side s, Side) { return s.stolen ? per_calls(s, *s.stolen) : std::nullopt; }},
    {.name = "stalled_ms",
     .unit = "per 20k",
     .effect = EffectKind::difference,
     .help = "time in calls longer than 1 ms, in ms",
     .count = CountOf::calls,
     .value = [](Side s, Side) { return ms_per_calls(s, s.stalled_ns); }},
    {.name = "calls_slow_running",
     .unit = "per 20k",
     .effect = EffectKind::difference,
     .help = "calls longer than 100 us in which the thread did not block",
     .count = CountOf::calls,
     .value = [](Side s,
                 Side) { return s.slow_running ? per_calls(s, *s.slow_running) : std::nullopt; }},
    {.name = "slow_running_ms",
     .unit = "per 20k",
     .effect = EffectKind::difference,
     .help = "time in these calls, in ms",
     .count = CountOf::calls,
     .value = [](Side s, Side) { return ms_per_calls(s, s.slow_running_ns); }},
    {.name = "events_lost",
     .unit = "per 20k",
     .effect = EffectKind::difference,
     .help = "events that were lost; one is too many where A loses none",
     .count = CountOf::calls,
     .value = [](Side s, Side) { return lost_per_calls(s); }},
    {.name = "rate_missed",
     .unit = "of rounds",
     .effect = EffectKind::difference,
     .help = "rounds in which the side fell behind the rate",
     .count = CountOf::rounds,
     .value = [](Side s, Side) { return std::optional(s.rate_missed ? 1.0 : 0.0); }},
    {.name = "drains_cut",
     .unit = "of drains",
     .effect = EffectKind::difference,
     .help = "drains that reached their time limit: work into the other side's turns",
     .value = [](Side s, Side) { return cut_share(s); }},
    {.name = "left_behind",
     .unit = "%",
     .effect = EffectKind::difference,
     .help = "how much slower the other side's turns begin after one of this side, in percent",
     .value = left_behind},
    {.name = "response_ns_p99_99",
     .unit = "ns",
     .effect = EffectKind::ratio,
     .help = "99.99th percentile of the response time",
     .tail_share = 0.0001,
     .value = [](Side s, Side) { return figure_of(s.response, s.response.p99_99_ns); }},
    {.name = "response_ns_max",
     .unit = "ns",
     .effect = EffectKind::ratio,
     .help = "longest response time",
     .value = [](Side s, Side) { return figure_of(s.response, s.response.max_ns); }},
    {.name = "service_ns_p50",
     .unit = "ns",
     .effect = EffectKind::ratio,
     .help = "median service time",
     .tail_share = 0.5,
     .value = [](Side s, Side) { return figure_of(s.service, s.service.p50_ns); }},
    {.name = "service_ns_p99",
     .unit = "ns",
     .effect = EffectKind::ratio,
     .help = "99th percentile of the service time",
     .tail_share = 0.01,
     .value = [](Side s, Side) { return figure_of(s.service, s.service.p99_ns); }},
    {.name = "raw_response_ns_p50",
     .unit = "ns",
     .effect = EffectKind::ratio,
     .help = "median response time, preempted calls as they were",
     .tail_share = 0.5,
     .value = [](Side s, Side) { return figure_of(s.raw_response, s.raw_response.p50_ns); }},
    {.name = "raw_response_ns_p99",
     .unit = "ns",
     .effect = EffectKind::ratio,
     .help = "99th percentile of it",
     .tail_share = 0.01,
     .value = [](Side s, Side) { return figure_of(s.raw_response, s.raw_response.p99_ns); }},
    {.name = "daemon_ns_per_event",
     .unit = "ns",
     .effect = EffectKind::ratio,
     .help = "processor time of the daemons per call",
     .value = [](Side s, Side) { return per_event(s.daemon_cpu_ns, s.cpu_events); }},
    {.name = "achieved_rate_hz",
     .unit = "Hz",
     .effect = EffectKind::ratio,
     .help = "achieved rate",
     .value = [](Side s, Side) { return std::optional(s.achieved_rate_hz); }},
};

// A side's value, where it can enter an effect.
std::optional<double> usable_value(const MetricKind& kind, const DuetSide& side,
                                   const DuetSide& other) {
  const std::optional<double> value = kind.value(side, other);
  const bool usable =
      value && std::isfinite(*value) && (kind.effect == EffectKind::difference || *value > 0);
  return usable ? value : std::nullopt;
}

std::optional<MetricSeries> series_of(const Duet& duet, const MetricKind& kind) {
  MetricSeries series{std::string(kind.name), {}, {}};
  bool any = false;
  for (const DuetRound& round : duet.rounds) {
    if (!is_completed(round)) continue;
    const std::optional<double> a = usable_value(kind, round.a, round.b);
    const std::optional<double> b = usable_value(kind, round.b, round.a);
    series.a.push_back(a && b ? *a : std::nan(""));
    series.b.push_back(a && b ? *b : std::nan(""));
    any = any || (a && b);
  }
  if (!any) return {};
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

MeasuredRounds measured_rounds(const Duet& duet, const MetricKind& kind) {
  MeasuredRounds measured;
  for (const DuetRound& round : duet.rounds) {
    if (!is_completed(round)) continue;
    const bool a = usable_value(kind, round.a, round.b).has_value();
    const bool b = usable_value(kind, round.b, round.a).has_value();
    measured.a += a ? 1 : 0;
    measured.b += b ? 1 : 0;
    measured.both += a && b ? 1 : 0;
    ++measured.all;
  }
  return measured;
}

RoundCoins round_coins(const Duet& duet) {
  RoundCoins coins;
  bool all_say = true;
  bool all_have_pairs = true;
  for (const DuetRound& round : duet.rounds) {
    if (!is_completed(round)) continue;
    coins.a_started_first.push_back(round.a_started_first ? 1 : -1);
    coins.a_made_first.push_back(round.a_made_first.value_or(true) ? 1 : -1);
    coins.layout_pairs.push_back(round.layout_pair.value_or(0));
    all_say = all_say && round.a_made_first;
    all_have_pairs = all_have_pairs && round.layout_pair;
  }
  if (!all_say) coins.a_made_first.clear();
  if (!all_have_pairs) coins.layout_pairs.clear();
  return coins;
}

RoundLoad round_load(const Duet& duet) {
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  std::uint64_t rounds = 0;
  for (const DuetRound& round : duet.rounds) {
    if (!is_completed(round)) continue;
    a += round.a.events;
    b += round.b.events;
    ++rounds;
  }
  const double seconds = static_cast<double>(duet.turns) * static_cast<double>(duet.turn_ns) / 1e9;
  return {.calls = rounds == 0 ? 0 : std::min(a, b) / rounds, .seconds = seconds > 0 ? seconds : 1};
}

CountRounds count_rounds(const MetricSeries& series, CountOf of, const RoundLoad& load,
                         const Clusters& clusters) {
  CountRounds counts{series.a, series.b, 1, clusters};
  if (of == CountOf::rounds || load.calls == 0) return counts;
  counts.exposure = static_cast<double>(load.calls) / kCallsPerCount;
  for (std::vector<double>* side : {&counts.a, &counts.b}) {
    for (double& value : *side) value *= counts.exposure;
  }
  return counts;
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
