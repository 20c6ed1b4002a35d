#include <time.h>

#include "harness/os/clock.h"

namespace tailgate::clock_detail {
namespace {

std::uint64_t read_ns(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace

std::uint64_t os_monotonic_ns() {
  return read_ns(CLOCK_MONOTONIC_RAW);
}

std::uint64_t monotonic_ns() {
  return read_ns(CLOCK_MONOTONIC);
}

std::int64_t os_unix_ns() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

}  // namespace tailgate::clock_detail
