#include "harness/etl/run_times.h"

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/os/performance_counter.h"

namespace tailgate::etl {
namespace {

constexpr std::int64_t kMaxHz = 9'999'999'999;

std::uint64_t checked_hz(const LogFileHeader& header) {
  if (header.clock_hz > 0 && header.clock_hz <= kMaxHz) {
    return static_cast<std::uint64_t>(header.clock_hz);
  }
  throw Error(fmt::format("the trace's header says that the performance counter makes {} ticks a "
                          "second",
                          header.clock_hz),
              "record it again");
}

}  // namespace

RunTimes::RunTimes(const LogFileHeader& header, const Clock& clock)
    : clock_(clock),
      cycles_(clock.parameters().kind == ClockKind::tsc),
      counter_hz_(checked_hz(header)) {
  const ClockType wanted = cycles_ ? ClockType::cpu_cycles : ClockType::performance_counter;
  if (header.clock_type != wanted) {
    throw Error(fmt::format("the trace uses clock {}, the run clock {}",
                            static_cast<std::uint32_t>(header.clock_type),
                            clock_kind_name(clock.parameters().kind)),
                fmt::format("start its session with clock {}", static_cast<std::uint32_t>(wanted)));
  }
  start_ns_ = time_ns(header.start_raw);
}

void RunTimes::check_start(std::uint64_t from_ns, std::uint64_t to_ns) const {
  constexpr std::int64_t kSlackNs = 1'000'000'000;
  const auto from = static_cast<std::int64_t>(from_ns);
  const auto to = static_cast<std::int64_t>(to_ns);
  if (start_ns_ >= from - kSlackNs && start_ns_ <= to + kSlackNs) return;
  throw Error(fmt::format("the trace began at {} ns by its own header, but was recorded from {} to "
                          "{} ns: its clock is not the run clock",
                          start_ns_, from, to),
              "see providers/etw/README.md");
}

std::uint64_t RunTimes::ns_of(std::uint64_t counter_ticks) const {
  constexpr std::uint64_t kMaxSeconds = 18'000'000'000;  // limit of ns in 64 bits
  if (counter_ticks / counter_hz_ >= kMaxSeconds) return std::numeric_limits<std::uint64_t>::max();
  return tailgate::counter_ns(counter_ticks, counter_hz_);
}

}  // namespace tailgate::etl
