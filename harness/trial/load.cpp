#include "harness/trial/load.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>

#include "harness/base/error.h"
#include "harness/base/event.h"
#include "harness/base/log_lines.h"
#include "harness/base/require.h"

namespace tailgate {
namespace {

constexpr double kMaxTrialS = 24 * 3600;
constexpr double kMaxRateHz = 1e9;

// "name(a,b)" -> "a,b"
std::optional<std::string_view> arguments_of(std::string_view text, std::string_view name) {
  if (!text.starts_with(name)) return std::nullopt;
  text.remove_prefix(name.size());
  if (!text.starts_with('(') || !text.ends_with(')')) return std::nullopt;
  return text.substr(1, text.size() - 2);
}

// The whole text as a number.
std::optional<double> parse_number(std::string_view text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

// "name(a,b)" -> a, b
std::optional<std::pair<double, double>> parse_pair(std::string_view whole, std::string_view name) {
  const auto arguments = arguments_of(whole, name);
  if (!arguments) return std::nullopt;
  const std::string_view text = *arguments;
  double first = 0;
  double second = 0;
  const char* end = text.data() + text.size();
  const auto [comma, error] = std::from_chars(text.data(), end, first);
  if (error != std::errc() || comma == end || *comma != ',') return std::nullopt;
  const auto [stop, second_error] = std::from_chars(comma + 1, end, second);
  if (second_error != std::errc() || stop != end) return std::nullopt;
  return std::pair{first, second};
}

double planned_rate_hz(const LoadPlan& plan) {
  switch (plan.shape) {
    case Shape::max: {
      constexpr double kMost = 3e6;  // more than most sinks accept on one processor
      if (plan.burst_events == 0) return kMost;
      return std::min(kMost,
                      static_cast<double>(plan.burst_events) * plan.threads / plan.burst_gap_s);
    }
    case Shape::ramp:
      return std::max(plan.rate_hz, plan.end_rate_hz);
    default:
      return plan.rate_hz;
  }
}

void check_shape(const LoadPlan& plan) {
  if (plan.shape == Shape::burst) {
    require(plan.burst_events >= 1, "burst_events = 0 makes no load", "give 1 or more");
    require(plan.burst_gap_s > 0, fmt::format("burst_gap_s = {} makes no load", plan.burst_gap_s),
            "give a gap above zero");
  }
  if (plan.shape == Shape::max && plan.burst_events > 0) {
    require(plan.burst_gap_s > 0, fmt::format("burst_gap_s = {} is no pause", plan.burst_gap_s),
            "give a pause above zero");
  }
  if (plan.shape == Shape::ramp) {
    require(plan.duration_s > 0, "a ramp by event count has no defined slope",
            "set duration_s and leave events = 0");
    require(plan.end_rate_hz > 0, fmt::format("end_rate_hz = {} is not a rate", plan.end_rate_hz),
            "give a rate above zero");
  }
  if (plan.shape != Shape::max) {
    require(plan.rate_hz > 0 && plan.rate_hz <= kMaxRateHz,
            fmt::format("rate_hz = {} is out of range", plan.rate_hz),
            "give more than 0 and at most 1e9 events per second");
  }
}

void check_writers(const LoadPlan& plan) {
  require(plan.threads >= 1 && plan.threads <= kMaxThreads,
          fmt::format("threads = {} is not possible", plan.threads),
          fmt::format("give 1 to {}, of all processes together", kMaxThreads));
  require(plan.processes >= 1 && plan.processes <= kMaxProcesses,
          fmt::format("processes = {} is not possible", plan.processes),
          fmt::format("give 1 to {}", kMaxProcesses));
  require(plan.threads % plan.processes == 0,
          fmt::format("{} processes cannot have equal shares of {} threads", plan.processes,
                      plan.threads),
          "give each process as many threads");
  require(plan.sessions >= 1 && plan.sessions <= kMaxSessions,
          fmt::format("sessions = {} is not possible", plan.sessions),
          fmt::format("give 1 to {}", kMaxSessions));
  require(
      plan.own_sessions == 0 || plan.sessions == plan.processes,
      fmt::format("{} processes cannot have a session each of {}", plan.processes, plan.sessions),
      "give as many sessions as processes");
}

}  // namespace

std::uint64_t expected_events(const LoadPlan& plan) {
  const double rate_hz = planned_rate_hz(plan);
  const double measured =
      plan.duration_s > 0 ? rate_hz * plan.duration_s : static_cast<double>(plan.events);
  const double bursts = static_cast<double>(plan.burst_events) * plan.threads;
  return static_cast<std::uint64_t>(rate_hz * plan.warmup_s + measured + bursts) + plan.threads;
}

void check_load(const LoadPlan& plan) {
  check_shape(plan);
  check_writers(plan);
  require((plan.duration_s > 0) != (plan.events > 0),
          fmt::format("duration_s = {} and events = {} do not say when to stop", plan.duration_s,
                      plan.events),
          "set exactly one of them above zero");
  require(plan.duration_s >= 0 && plan.duration_s + plan.warmup_s <= kMaxTrialS,
          fmt::format("duration_s = {} with warmup_s = {} is out of range", plan.duration_s,
                      plan.warmup_s),
          "a trial lasts more than 0 s and at most a day");
  require(plan.warmup_s >= 0, fmt::format("warmup_s = {} is negative", plan.warmup_s),
          "give 0 or more");
  require(plan.events == 0 || plan.events >= plan.threads,
          fmt::format("events = {} leaves some of {} threads without an event", plan.events,
                      plan.threads),
          "give at least one event per thread");
  constexpr double kLimit = 1e10;
  require(
      static_cast<double>(expected_events(plan)) <= kLimit,
      fmt::format("the load has about {:.3g} events", static_cast<double>(expected_events(plan))),
      "lower the rate or the duration: a trial has at most 1e10 events");
}

PayloadPlan parse_payload(std::string_view text) {
  const auto in_range = [](double bytes) {
    return bytes >= static_cast<double>(kBinaryHeaderBytes) &&
           bytes <= static_cast<double>(kMaxEventBytes);
  };
  std::optional<PayloadPlan> plan;
  if (const auto size = parse_number(text)) {
    plan = PayloadPlan{PayloadLaw::fixed, *size, 0};
  } else if (const auto pair = parse_pair(text, "uniform")) {
    plan = PayloadPlan{PayloadLaw::uniform, pair->first, pair->second};
  } else if (const auto pair = parse_pair(text, "lognormal")) {
    plan = PayloadPlan{PayloadLaw::lognormal, pair->first, pair->second};
  } else if (const auto largest = arguments_of(text, "lines")) {
    if (const auto size = parse_number(*largest)) plan = PayloadPlan{PayloadLaw::lines, *size, 0};
  }
  const bool lines = plan && plan->law == PayloadLaw::lines;
  const bool drawn = plan && !lines && plan->law != PayloadLaw::fixed;
  if (!plan || !in_range(plan->first) ||
      (drawn && (!in_range(plan->second) || plan->second < plan->first)) ||
      (lines && plan->first < double{kLeastLongestBytes})) {
    throw Error(fmt::format("payload = '{}' is not valid", text),
                fmt::format("give a size from {} to {} bytes, or uniform(smallest,largest), or "
                            "lognormal(median,p99), or lines(largest) with {} or more",
                            kBinaryHeaderBytes, kMaxEventBytes, kLeastLongestBytes));
  }
  return *plan;
}

std::string payload_text(const PayloadPlan& payload) {
  switch (payload.law) {
    case PayloadLaw::fixed:
      return fmt::format("{}", payload.first);
    case PayloadLaw::uniform:
      return fmt::format("uniform({},{})", payload.first, payload.second);
    case PayloadLaw::lognormal:
      return fmt::format("lognormal({},{})", payload.first, payload.second);
    case PayloadLaw::lines:
      return fmt::format("lines({})", payload.first);
  }
  return "";
}

}  // namespace tailgate
