#include "harness/base/api_windows.h"
#include "harness/base/clock.h"

namespace tailgate::clock_detail {
namespace {

constexpr std::uint64_t kNsPerS = 1'000'000'000;
// From 1601-01-01, where FILETIME counts from, to 1970-01-01.
constexpr std::uint64_t kUnixEpochS = 11'644'473'600;

// Fixed when the system starts, the same for all processes.
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
  const auto ticks = static_cast<std::uint64_t>(now.QuadPart);
  const std::uint64_t hz = counter_hz();
  // Seconds apart from the rest, whose product with 10^9 stays within 64 bits.
  return ticks / hz * kNsPerS + ticks % hz * kNsPerS / hz;
}

std::int64_t os_unix_ns() {
  FILETIME now;
  GetSystemTimePreciseAsFileTime(&now);
  return static_cast<std::int64_t>(ns_of(now) - kUnixEpochS * kNsPerS);
}

}  // namespace tailgate::clock_detail
