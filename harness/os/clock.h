// The run clock: nanoseconds since the run's start, shared by the controller, the provider and the
// consumer. It uses the time-stamp counter (TSC) if that is invariant, faster than 1 GHz and
// synchronous on all cores, else the operating system's raw monotonic clock.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#if defined(_M_X64) && defined(_MSC_VER)
#include <intrin.h>
#endif

namespace tailgate {

// monotonic: the clock that other languages' run-time systems read. Only those trials use it whose
// calls are made by such a program.
enum class ClockKind : std::uint32_t { tsc, os_monotonic, monotonic };

// Plain data: other processes receive it through shared memory.
struct ClockParameters {
  ClockKind kind = ClockKind::os_monotonic;
  std::uint64_t multiplier = 0;   // tsc: ns = (ticks - base_ticks) * multiplier >> 64
  std::uint64_t base_ticks = 0;   // the run clock's zero
  std::int64_t base_unix_ns = 0;  // the same instant in CLOCK_REALTIME
  double frequency_hz = 1e9;
  double error_ppm = 0;             // bound on the frequency's error against the OS clock
  double read_cost_ns = 0;          // median of back-to-back reads
  double cross_core_offset_ns = 0;  // largest offset seen between two cores …
  double cross_core_bound_ns = 0;   // … and its uncertainty (half the round trip)
};

namespace clock_detail {

// The time-stamp counter; rdtscp() waits until all earlier instructions are complete. GCC's and
// Clang's built-ins themselves: <x86intrin.h> doubles the time that a small unit takes to compile.
#if defined(__x86_64__)
inline std::uint64_t rdtsc() {
  return __builtin_ia32_rdtsc();
}
// Not the built-in, which also writes the processor's number to memory.
inline std::uint64_t rdtscp() {
  std::uint64_t low;
  std::uint64_t high;
  __asm__ volatile("rdtscp" : "=a"(low), "=d"(high) : : "rcx", "memory");
  return low | high << 32;
}
#elif defined(_M_X64)
inline std::uint64_t rdtsc() {
  return __rdtsc();
}
inline std::uint64_t rdtscp() {
  unsigned processor;
  return __rdtscp(&processor);
}
#endif

// The operating system's raw monotonic clock in ns: CLOCK_MONOTONIC_RAW, or
// QueryPerformanceCounter scaled to ns. (clock_linux.cpp, clock_windows.cpp)
std::uint64_t os_monotonic_ns();
// CLOCK_MONOTONIC, whose rate NTP adjusts; on Windows the same as os_monotonic_ns().
std::uint64_t monotonic_ns();
inline std::uint64_t system_ns(ClockKind kind) {
  return kind == ClockKind::monotonic ? monotonic_ns() : os_monotonic_ns();
}
std::int64_t os_unix_ns();

}  // namespace clock_detail

class Clock {
 public:
  Clock() = default;
  explicit Clock(const ClockParameters& parameters) : parameters_(parameters) {}

  // Read the raw counter. The processor may reorder ticks() with neighbouring instructions, by a
  // few ns. ticks_after() waits until all earlier instructions are complete; use it at the end of a
  // timed call.
  std::uint64_t ticks() const {
#if defined(__x86_64__) || defined(_M_X64)
    if (parameters_.kind == ClockKind::tsc) [[likely]]
      return clock_detail::rdtsc();
#endif
    return clock_detail::system_ns(parameters_.kind);
  }
  std::uint64_t ticks_after() const {
#if defined(__x86_64__) || defined(_M_X64)
    if (parameters_.kind == ClockKind::tsc) [[likely]]
      return clock_detail::rdtscp();
#endif
    return clock_detail::system_ns(parameters_.kind);
  }

  std::uint64_t now_ns() const {
    return ns_from_ticks(ticks());
  }
  std::uint64_t now_after_ns() const {
    return ns_from_ticks(ticks_after());
  }

  // Returns 0 for ticks before the run clock's zero.
  std::uint64_t ns_from_ticks(std::uint64_t ticks) const {
    if (ticks < parameters_.base_ticks) [[unlikely]]
      return 0;
    return scale(ticks - parameters_.base_ticks);
  }

  const ClockParameters& parameters() const {
    return parameters_;
  }

 private:
  // Uses the high half of a product, which needs no shift: every instruction here delays the emit
  // path. The operating system's ticks are nanoseconds already.
  std::uint64_t scale(std::uint64_t ticks) const {
    if (parameters_.kind != ClockKind::tsc) [[unlikely]]
      return ticks;
#if defined(_MSC_VER) && !defined(__clang__)
    return __umulh(ticks, parameters_.multiplier);
#else
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>(static_cast<Wide>(ticks) * parameters_.multiplier >> 64);
#endif
  }

  ClockParameters parameters_{};
};

// Measures a new run clock; takes about 0.1 s. Chooses the TSC if the processor declares it
// invariant and no offset between cores exceeds its uncertainty, unless force_os_clock is set.
ClockParameters measure_clock(bool force_os_clock = false);

// Measures a run clock of kind monotonic; takes a few milliseconds.
ClockParameters measure_monotonic_clock();

// Drift of the run clock against the OS clocks since it was measured, in parts per million;
// positive if the run clock is fast. On machines whose CLOCK_MONOTONIC_RAW is the TSC itself, the
// drift against it means nothing. CLOCK_REALTIME is independent if it is synchronised, for example
// by NTP.
struct ClockDrift {
  double against_monotonic_ppm = 0;
  double against_realtime_ppm = 0;
  double elapsed_s = 0;
};

class DriftMeter {
 public:
  explicit DriftMeter(const Clock& clock);
  ClockDrift read() const;

 private:
  Clock clock_;
  std::uint64_t start_run_ns_;
  std::uint64_t start_monotonic_ns_;
  std::int64_t start_unix_ns_;
};

std::string_view clock_kind_name(ClockKind kind);

}  // namespace tailgate
