#include "harness/trial/result_facts.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <random>

namespace tailgate {

std::string utc_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

std::string random_id() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

std::vector<Setting> describe_options(const Options& options) {
  std::vector<Setting> settings;
  for (const auto& [name, value] : options.resolved()) settings.push_back({name, value});
  return settings;
}

SinkUsed describe_sink(const SinkChoice& sink) {
  const Capabilities can = sink.type->capabilities(sink.options);
  return {.name = sink.type->name(),
          .label = sink.text,
          .options = describe_options(sink.options),
          .live_read = can.live_read,
          .read_back = can.read_back,
          .accounts_losses = can.accounts_losses,
          .asynchronous = can.asynchronous,
          .survives = can.survives,
          .multi_threaded = can.multi_threaded,
          .multi_process = can.multi_process,
          .multi_session = can.multi_session,
          .own_sessions = can.own_sessions};
}

ClockUsed describe_clock(const ClockParameters& clock, const ClockDrift& drift) {
  return {.kind = std::string(clock_kind_name(clock.kind)),
          .frequency_hz = clock.frequency_hz,
          .error_ppm = clock.error_ppm,
          .read_cost_ns = clock.read_cost_ns,
          .cross_core_offset_ns = clock.cross_core_offset_ns,
          .cross_core_bound_ns = clock.cross_core_bound_ns,
          .drift_against_monotonic_ppm = drift.against_monotonic_ppm,
          .drift_against_realtime_ppm = drift.against_realtime_ppm};
}

}  // namespace tailgate
