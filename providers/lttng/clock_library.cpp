// Clock plugin of LTTng-UST (LTTNG_UST_CLOCK_PLUGIN). It reads the time-stamp counter, so the
// trace's times are ticks of the run clock. The tracer calls lttng_ust_clock_plugin_init() in the
// traced program, in the session daemon and in the consumer daemon.
#include <lttng/ust-clock.h>
#include <x86intrin.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace {

std::uint64_t read_ticks() {
  return __rdtsc();
}

// The frequency that the session measured and passes on.
std::uint64_t frequency_hz() {
  const char* given = std::getenv("TAILGATE_LTTNG_CLOCK_HZ");
  return given == nullptr ? 1'000'000'000 : std::strtoull(given, nullptr, 10);
}

const char* name() {
  return "tsc";
}

const char* description() {
  return "time-stamp counter";
}

// The same id on all machines: within a trace it distinguishes this clock from others.
int uuid(char* text) {
  std::memcpy(text, "7d1f0b52-5c1e-4a7e-9a44-3f0a9d6c2e81", LTTNG_UST_UUID_STR_LEN);
  return 0;
}

}  // namespace

extern "C" void lttng_ust_clock_plugin_init() {
  if (lttng_ust_trace_clock_set_read64_cb(read_ticks) != 0 ||
      lttng_ust_trace_clock_set_freq_cb(frequency_hz) != 0 ||
      lttng_ust_trace_clock_set_uuid_cb(uuid) != 0 ||
      lttng_ust_trace_clock_set_name_cb(name) != 0 ||
      lttng_ust_trace_clock_set_description_cb(description) != 0) {
    std::abort();
  }
  if (lttng_ust_enable_trace_clock_override() != 0) std::abort();
}
