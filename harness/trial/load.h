// What load a trial makes: plain data, so that it travels to the provider process through shared
// memory as it is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tailgate {

enum class Shape : std::uint32_t {
  steady,   // one event every 1/rate
  poisson,  // independent arrivals: exponential gaps
  burst,    // burst_events at once, every burst_gap_s
  ramp,     // the rate goes linearly from rate_hz to end_rate_hz over the recorded duration
  max,      // closed loop: the next event when the previous call returns
};

enum class Pacing : std::uint32_t {
  spin,    // read the clock until the intended time: most exact, keeps the processor busy
  hybrid,  // sleep through long gaps, spin through the last part
  sleep,   // sleep until the intended time: frees the processor, wakes late
};

enum class PayloadLaw : std::uint32_t { fixed, uniform, lognormal };

// Event sizes in bytes, header included. Drawn sizes are clamped to what the encoding and
// kMaxEventBytes allow.
struct PayloadPlan {
  PayloadLaw law = PayloadLaw::fixed;
  double first = 128;  // fixed: the size; uniform: smallest; lognormal: median
  double second = 0;   // uniform: largest; lognormal: 99th percentile

  bool operator==(const PayloadPlan&) const = default;
};

struct LoadPlan {
  Shape shape = Shape::steady;
  Pacing pacing = Pacing::hybrid;
  double rate_hz = 1000;           // all threads together; for burst it follows from the two below
  double end_rate_hz = 1000;       // ramp only
  std::uint64_t burst_events = 0;  // per burst and thread
  double burst_gap_s = 0;          // between the starts of two bursts of one thread
  std::uint32_t threads = 1;
  PayloadPlan payload;
  double warmup_s = 0.5;
  double duration_s = 1;     // of recording; 0: by events
  std::uint64_t events = 0;  // recorded, all threads together; 0: by duration
  std::uint64_t seed = 1;

  bool operator==(const LoadPlan&) const = default;
};

// About how many events the whole trial emits, warm-up included; an upper bound for open-loop
// shapes but for the chance in poisson. For max it is a guess.
std::uint64_t expected_events(const LoadPlan& plan);

// Throws Error for a plan that cannot be run: what is wrong, the value, the remedy.
void check_load(const LoadPlan& plan);

// "128", "uniform(64,512)", "lognormal(128,2000)". Throws Error.
PayloadPlan parse_payload(std::string_view text);
std::string payload_text(const PayloadPlan& payload);

std::string_view shape_name(Shape shape);
std::string_view pacing_name(Pacing pacing);
Pacing parse_pacing(std::string_view text);  // throws Error

}  // namespace tailgate
