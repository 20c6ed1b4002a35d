#include "harness/os/api_windows.h"
#include "harness/os/clock.h"
#include "harness/os/performance_counter.h"

namespace tailgate::clock_detail {
namespace {

constexpr std::uint64_t kNsPerS = 1'000'000'000;
// Seconds from 1601-01-01, the epoch of FILETIME, to 1970-01-01.
constexpr std::uint64_t kUnixEpochS = 11'644'473'600;

// Constant while the system runs, and the same for all processes.
std::uint64_t counter_hz() {
  static const std::uint64_t hz = [] {
    LARGE_INTEGER frequency;
    QueryPerformanceFrequency(&frequency);
    return static_cast<std::uint64_t>(frequency.QuadPart);
  }();
  return hz;
}

}  // namespace

std::uint64_t os_monotonic_ns() {
  LARGE_INTEGER now;
  QueryPerformanceCounter(&now);
  return counter_ns(static_cast<std::uint64_t>(now.QuadPart), counter_hz());
}

std::uint64_t monotonic_ns() {
  return os_monotonic_ns();
}

std::int64_t os_unix_ns() {
  FILETIME now;
  GetSystemTimePreciseAsFileTime(&now);
  return static_cast<std::int64_t>(ns_of(now) - kUnixEpochS * kNsPerS);
}

}  // namespace tailgate::clock_detail
