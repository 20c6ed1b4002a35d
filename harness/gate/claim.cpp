#include "harness/gate/claim.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "harness/base/error.h"
#include "harness/base/options.h"
#include "harness/gate/amount.h"

namespace tailgate {
namespace {

constexpr std::size_t kMostClaimBytes = 200;
constexpr AmountUnit kShareUnits[] = {{"%", 0.01}};
constexpr AmountUnit kRatioUnits[] = {{"", 1}, {"x", 1}, {"%", 0.01}};
// As options are written (harness/base/options.h).
constexpr AmountUnit kSettingUnits[] = {
    {"", 1},        {"k", 1e3},        {"M", 1e6},          {"G", 1e9},
    {"Ki", 1024.0}, {"Mi", 1048576.0}, {"Gi", 1073741824.0}};

struct Quantile {
  const char* name;
  double (*time_ns)(const Latency& times);
  double tail_share;
};

template <auto kField>
double time_of(const Latency& times) {
  return static_cast<double>(times.*kField);
}

constexpr Quantile kQuantiles[] = {
    {"p50", time_of<&Latency::p50_ns>, 0.5},  {"p90", time_of<&Latency::p90_ns>, 0.1},
    {"p99", time_of<&Latency::p99_ns>, 0.01}, {"p99.9", time_of<&Latency::p99_9_ns>, 0.001},
    {"max", time_of<&Latency::max_ns>, 0},    {"mean", time_of<&Latency::mean_ns>, 0}};

const Latency* response_of(const Trial& trial) {
  return &trial.response;
}

const Latency* service_of(const Trial& trial) {
  return &trial.service;
}

const Latency* delivery_of(const Trial& trial) {
  return trial.consumer.delivery ? &*trial.consumer.delivery : nullptr;
}

const std::vector<ClaimMetric>& claim_metrics() {
  static const std::vector<ClaimMetric> all = [] {
    std::vector<ClaimMetric> made;
    const auto add_times = [&](const std::string& prefix, auto times) {
      for (const Quantile& quantile : kQuantiles) {
        made.push_back({prefix + quantile.name, ClaimKind::time, times, quantile.time_ns,
                        quantile.tail_share});
      }
    };
    add_times("", response_of);
    add_times("service ", service_of);
    add_times("delivery ", delivery_of);
    made.push_back({"lost", ClaimKind::lost});
    made.push_back({"cpu", ClaimKind::cpu});
    made.push_back({"machine", ClaimKind::machine});
    made.push_back({"written", ClaimKind::written});
    made.push_back({"rate", ClaimKind::rate});
    return made;
  }();
  return all;
}

// The units of a number, and what it is then.
struct ClaimSpelling {
  ClaimUnit unit;
  std::span<const AmountUnit> units;
  const char* form;
};

constexpr ClaimSpelling kTimes = {ClaimUnit::ns, kTimeUnits, "50us (ns, us, ms or s)"};
constexpr ClaimSpelling kShares = {ClaimUnit::share, kShareUnits, "5%"};
constexpr ClaimSpelling kCounts = {ClaimUnit::count, kCountUnits, "0, 10 or 0.1%"};
constexpr ClaimSpelling kRates = {ClaimUnit::per_s, kRateUnits, "20k (events per second)"};
constexpr ClaimSpelling kBytes = {ClaimUnit::bytes, kByteUnits, "60KiB (B, kB, MB, GB, KiB, MiB)"};
constexpr ClaimSpelling kRatios = {ClaimUnit::ratio, kRatioUnits, "0.5, 2x or 120%"};

// By the unit with which the name of an answer's figure ends.
struct Ending {
  const char* text;
  ClaimSpelling spelling;
};

constexpr Ending kEndings[] = {{"_ns", kTimes},      {"_hz", kRates},     {"_bytes", kBytes},
                               {"_events", kCounts}, {"_share", kShares}, {"_per_stop", kShares},
                               {"_ratio", kRatios}};

std::optional<ClaimSpelling> spelling_of_figure(const std::string& name) {
  const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
  for (const Ending& ending : kEndings) {
    if (plain && name.ends_with(ending.text)) return ending.spelling;
  }
  return {};
}

ClaimSpelling spelling_of(const ClaimMetric& metric) {
  switch (metric.kind) {
    case ClaimKind::time:
    case ClaimKind::cpu:
      return kTimes;
    case ClaimKind::lost:
      return kCounts;
    case ClaimKind::machine:
      return kShares;
    case ClaimKind::written:
      return kBytes;
    case ClaimKind::rate:
      return kRates;
    case ClaimKind::figure:
      break;
  }
  return *spelling_of_figure(metric.name);
}

ClaimMetric metric_named(std::string_view bound, const std::string& name) {
  for (const ClaimMetric& metric : claim_metrics()) {
    if (metric.name == name) return metric;
  }
  if (spelling_of_figure(name)) return {name, ClaimKind::figure};
  std::vector<std::string> known;
  for (const ClaimMetric& metric : claim_metrics()) known.push_back(metric.name);
  throw Error(fmt::format("'{}' is about '{}', which is no figure of a result", bound, name),
              choice_remedy(name, known) +
                  "; or a figure of a scenario's answer, whose name ends in _ns, _hz, _bytes, "
                  "_events, _share, _ratio or _per_stop");
}

// The limit and its unit: a share where a count has a percent sign.
void read_limit(std::string_view text, const ClaimSpelling& spelling, ClaimBound& bound) {
  const std::optional<Amount> amount = amount_of(text, spelling.units);
  const double limit = amount && amount->unit != nullptr ? amount->number * amount->unit->size : -1;
  if (!std::isfinite(limit) || limit < 0) {
    throw Error(
        fmt::format("'{}' compares {} with '{}'", bound.text, bound.metric.name, text),
        fmt::format("write {} {} {}", bound.metric.name, enum_text(bound.relation), spelling.form));
  }
  bound.limit = limit;
  bound.unit = spelling.unit;
  if (bound.unit == ClaimUnit::count && amount->unit->name == "%") bound.unit = ClaimUnit::share;
}

std::string rate_text(double rate_hz) {
  if (rate_hz == 0) return "max";
  if (rate_hz >= 1e6) return fmt::format("{:g}M", rate_hz / 1e6);
  return rate_hz >= 1000 ? fmt::format("{:g}k", rate_hz / 1000) : fmt::format("{:g}", rate_hz);
}

std::optional<double> setting_number(std::string text) {
  std::erase(text, '_');
  const std::optional<Amount> amount = amount_of(text, kSettingUnits);
  if (!amount || amount->unit == nullptr) return {};
  return amount->number * amount->unit->size;
}

bool is_same_setting(const std::string& a, const std::string& b) {
  if (a == b) return true;
  const std::optional<double> number = setting_number(a);
  return number && number == setting_number(b);
}

}  // namespace

ClaimBound parse_claim_bound(std::string_view given, bool is_ratio) {
  const std::string text = with_single_spaces(given);
  if (text.size() > kMostClaimBytes) {
    throw Error(fmt::format("a bound of {} bytes is too long", text.size()),
                "write, for example, 'service p50 <= 300ns'");
  }
  const auto parts = relation_parts(text);
  if (!parts) {
    throw Error(fmt::format("'{}' compares nothing: it has no <, <=, =, >= or >", text),
                "write, for example, 'service p50 <= 300ns'");
  }
  ClaimBound bound;
  bound.text = text;
  bound.metric = metric_named(text, std::string(parts->name));
  bound.relation = *enum_value<BoundRelation>(parts->relation);
  read_limit(parts->value, is_ratio ? kRatios : spelling_of(bound.metric), bound);
  return bound;
}

std::string ClaimRun::subject() const {
  std::string text = scenario + "@" + sink;
  if (rate_hz) text += "@" + rate_text(*rate_hz);
  for (const Setting& setting : set) text += fmt::format(", {}={}", setting.name, setting.value);
  return text;
}

bool ClaimRun::matches(const Result& result) const {
  if (sink != result.sink.label) return false;
  if (scenario != result.scenario.name && scenario != result.scenario.preset) return false;
  return std::all_of(set.begin(), set.end(), [&](const Setting& wanted) {
    const std::vector<Setting>& options = result.scenario.options;
    return std::any_of(options.begin(), options.end(), [&](const Setting& option) {
      return option.name == wanted.name && is_same_setting(option.value, wanted.value);
    });
  });
}

bool ClaimRun::matches(const StepSummary& step) const {
  return !rate_hz || std::abs(step.rate_hz - *rate_hz) <= 1e-6 * *rate_hz;
}

}  // namespace tailgate
