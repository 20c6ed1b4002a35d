// What the history keeps of a duet, of a duet of commands, and of a verdict.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/gate/class_margins.h"
#include "harness/gate/metrics.h"
#include "harness/history/parts.h"
#include "harness/history/record_maker.h"
#include "harness/result/latency.h"
#include "harness/stats/pseudomedian.h"
#include "harness/stats/quantile_interval.h"

namespace tailgate::history {
namespace {

// How much worse B is: a logarithm of B / A, or B - A.
constexpr const char* kLogRatio = "ln ratio";

std::optional<double> median_of(std::vector<double> values) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  return values.empty() ? std::nullopt : std::optional(median(values));
}

// The effect of all rounds: what their pairs say, of which wild ones move it little.
std::optional<double> centre_of(std::vector<double> effects) {
  std::erase_if(effects, [](double value) { return !std::isfinite(value); });
  return effects.empty() ? std::nullopt : std::optional(pseudomedian(effects));
}

// One distribution of a side over all completed rounds.
template <Latency DuetSide::*kLatency>
void add_merged(RecordMaker& maker, const Duet& duet, DuetSide DuetRound::*side,
                const std::string& metric) {
  std::optional<Histogram> whole;
  for (const DuetRound& round : duet.rounds) {
    if (!is_completed(round) || (round.*side.*kLatency).count == 0) continue;
    const Histogram one = decode_latency(round.*side.*kLatency);
    if (whole) {
      whole->add(one);
    } else {
      whole = one;
    }
  }
  if (whole) maker.add(metric, *whole);
}

void add_side(RecordMaker& maker, const Duet& duet, DuetSide DuetRound::*side) {
  add_merged<&DuetSide::response>(maker, duet, side, "response_ns");
  add_merged<&DuetSide::service>(maker, duet, side, "service_ns");
  add_merged<&DuetSide::raw_response>(maker, duet, side, "raw_response_ns");
  add_merged<&DuetSide::raw_service>(maker, duet, side, "raw_service_ns");
}

// Medians over the rounds, of effects the pseudomedian. Percentiles of a side are not kept: its
// distributions answer for them.
void add_metric(RecordMaker& maker, const MetricSeries& series, const MetricKind& kind) {
  const bool is_percentile = kind.tail_share > 0;
  if (!is_percentile) {
    maker.part("a");
    maker.add(series.name, std::string(kind.unit), median_of(series.a));
    maker.part("b");
    maker.add(series.name, std::string(kind.unit), median_of(series.b));
  }
  maker.part("effect");
  maker.add(series.name, kind.effect == EffectKind::ratio ? kLogRatio : std::string(kind.unit),
            centre_of(effects_of(series, kind.effect)));
}

// Processor time of the provider alone: what a call costs its caller. Sampled by its own clock, the
// daemons' time may exceed that of both together in a round, which then has none.
void add_provider_time(RecordMaker& maker, const Duet& duet) {
  const auto provider_time = [](const DuetSide& side) -> std::optional<double> {
    if (!side.cpu_ns || !side.daemon_cpu_ns || side.cpu_events == 0) return {};
    const double time = static_cast<double>(*side.cpu_ns) -
                        static_cast<double>(*side.daemon_cpu_ns) -
                        static_cast<double>(side.spun_ns);
    return time > 0 ? std::optional(time / static_cast<double>(side.cpu_events)) : std::nullopt;
  };
  MetricSeries series;
  for (const DuetRound& round : duet.rounds) {
    if (!is_completed(round)) continue;
    const auto a = provider_time(round.a);
    const auto b = provider_time(round.b);
    if (!a || !b) continue;
    series.a.push_back(*a);
    series.b.push_back(*b);
  }
  const std::string name = "provider_ns_per_event";
  maker.part("a");
  maker.add(name, "ns", median_of(series.a));
  maker.part("b");
  maker.add(name, "ns", median_of(series.b));
  maker.part("effect");
  maker.add(name, kLogRatio, centre_of(effects_of(series, EffectKind::ratio)));
}

// Round by round the sum of all causes.
std::vector<double> whole_of(const std::vector<CauseRounds>& causes,
                             std::vector<double> CauseRounds::*side) {
  std::vector<double> whole;
  for (const CauseRounds& one : causes) {
    whole.resize(std::max(whole.size(), (one.*side).size()));
    for (std::size_t i = 0; i < (one.*side).size(); ++i) whole[i] += (one.*side)[i];
  }
  return whole;
}

// What a part's difference is to the whole: the logarithm of the ratio that the whole would have if
// nothing but this part differed. So a part that a side has not is an ordinary value, and a part
// of no weight scatters little.
std::optional<double> effect_of_part(std::string_view cause, const std::vector<double>& a,
                                     const std::vector<double>& b,
                                     const std::vector<double>& whole_a) {
  std::vector<double> effects;
  for (std::size_t i = 0; i < std::min({a.size(), b.size(), whole_a.size()}); ++i) {
    const double effect = std::log1p((b[i] - a[i]) / whole_a[i]);
    if (std::isfinite(effect)) effects.push_back(effect);
  }
  if (effects.empty()) return {};
  return middle_of_part(cause, effects);
}

// The traced rounds' time by cause; parts.h says how they are named.
void add_traced_causes(RecordMaker& maker, const DifferenceSum& sum) {
  if (!sum.causes) return;
  const std::vector<double> whole_a = whole_of(*sum.causes, &CauseRounds::a_ns);
  const std::vector<double> whole_b = whole_of(*sum.causes, &CauseRounds::b_ns);
  const auto add = [&](const std::string& metric, std::string_view cause,
                       const std::vector<double>& a, const std::vector<double>& b) {
    if (a.empty() || b.empty()) return;
    maker.part("a");
    maker.add(metric, "ns", middle_of_part(cause, a));
    maker.part("b");
    maker.add(metric, "ns", middle_of_part(cause, b));
    maker.part("effect");
    maker.add(metric, kLogRatio, effect_of_part(cause, a, b, whole_a));
  };
  add(whole_metric(sum.measure), "", whole_a, whole_b);
  for (const CauseRounds& one : *sum.causes) {
    add(part_metric(sum.measure, one.cause), one.cause, one.a_ns, one.b_ns);
  }
}

struct CommandValues {
  std::string unit;
  std::vector<double> a;
  std::vector<double> b;
};

std::map<std::string, CommandValues> command_values(const CommandDuet& duet) {
  std::map<std::string, CommandValues> values;
  const auto add = [&values](const CommandRun& run, std::vector<double> CommandValues::*side) {
    const auto keep = [&](const std::string& name, const std::string& unit, double value) {
      CommandValues& of = values[name];
      of.unit = unit;
      (of.*side).push_back(value);
    };
    keep("wall_ns", "ns", static_cast<double>(run.wall_ns));
    keep("cpu_ns", "ns", static_cast<double>(run.cpu_ns));
    for (const CommandFigure& figure : run.figures) keep(figure.name, figure.unit, figure.value);
  };
  for (const CommandRound& round : duet.rounds) {
    if (!round.is_completed()) continue;
    add(round.a, &CommandValues::a);
    add(round.b, &CommandValues::b);
  }
  return values;
}

// The logarithms of b / a, where every round has both and they are above 0.
std::vector<double> log_ratios(const CommandValues& values) {
  std::vector<double> ratios;
  if (values.a.size() != values.b.size()) return ratios;
  for (std::size_t i = 0; i < values.a.size(); ++i) {
    if (values.a[i] > 0 && values.b[i] > 0) ratios.push_back(std::log(values.b[i] / values.a[i]));
  }
  return ratios;
}

// What both kinds of duet have in common.
template <class AnyDuet>
Record begun(const AnyDuet& duet, Kind kind, const std::string& origin) {
  Record record;
  record.kind = kind;
  record.id = duet.id;
  record.progress = time_of(duet.finished_utc, "finished_utc", origin);
  record.started_ms = time_of(duet.started_utc, "started_utc", origin);
  record.fingerprint = duet.machine.fingerprint;
  record.outcome = duet.complete ? "complete" : "partial";
  record.label = duet.label;
  record.version = duet.build.version;
  record.environment = environment_of(duet.machine, duet.build);
  return record;
}

}  // namespace

Record record_of(const Duet& duet, const std::string& origin) {
  Record record = begun(duet, Kind::duet, origin);
  record.revision = duet.b.build.revision;
  record.scenario = duet.b.scenario.name;
  record.preset = duet.b.scenario.preset;
  record.sink = duet.b.sink.label;
  const std::string load = load_text(duet.b.load);
  const bool is_of_one_sink = duet.a.sink.label == record.sink &&
                              duet.a.scenario.name == record.scenario &&
                              load_text(duet.a.load) == load;
  if (is_of_one_sink) record.reference = duet.a.build.revision;
  Series series = series_of(record);
  series.load = load;
  RecordMaker maker(record, series);
  maker.part("a");
  add_side(maker, duet, &DuetRound::a);
  maker.part("b");
  add_side(maker, duet, &DuetRound::b);
  for (const MetricSeries& one : metric_series(duet)) {
    if (const MetricKind* kind = find_metric(one.name)) add_metric(maker, one, *kind);
  }
  add_provider_time(maker, duet);
  if (duet.difference) {
    for (const DifferenceSum& sum : duet.difference->sums) add_traced_causes(maker, sum);
  }
  return record;
}

Record record_of(const CommandDuet& duet, const std::string& origin) {
  Record record = begun(duet, Kind::command_duet, origin);
  record.scenario = "command";
  record.sink = duet.b.label;
  Series series = series_of(record);
  series.load = duet.reads;
  RecordMaker maker(record, series);
  for (const auto& [name, values] : command_values(duet)) {
    maker.part("a");
    maker.add(name, values.unit, median_of(values.a));
    maker.part("b");
    maker.add(name, values.unit, median_of(values.b));
    maker.part("effect");
    maker.add(name, kLogRatio, centre_of(log_ratios(values)));
  }
  return record;
}

Record record_of(const Verdict& verdict) {
  Record record;
  record.kind = Kind::verdict;
  record.duet_id = verdict.duet_id;
  record.id = verdict.duet_id + " " + verdict.method + " " + verdict.policy + " " + verdict.sink +
              " " + verdict.a_revision + " " + verdict.b_revision;
  record.progress = static_cast<std::int64_t>(
      std::min<std::uint64_t>(verdict.rounds_recorded, std::numeric_limits<std::int64_t>::max()));
  record.fingerprint = verdict.fingerprint;
  record.outcome = enum_text(verdict.outcome);
  record.label = verdict.label;
  record.revision = verdict.b_revision;
  record.scenario = verdict.scenario;
  record.sink = verdict.sink;
  Series series = series_of(record);
  series.load = load_text(verdict.load);
  RecordMaker maker(record, series);
  maker.part("a");
  maker.add("response_ns", verdict.response_a);
  maker.part("b");
  maker.add("response_ns", verdict.response_b);
  for (const MetricJudgement& metric : verdict.metrics) {
    if (!metric.is_measured()) continue;
    // As in the verdict's file: B / A - 1 of a ratio.
    const bool ratio = metric.effect_kind == EffectKind::ratio;
    maker.part("effect");
    maker.add(metric.name, ratio ? "B/A - 1" : metric.unit, metric.effect);
  }
  return record;
}

}  // namespace tailgate::history
