// The search for a tick on a thread that a real timer interrupts: a stand-in for the hypervisor's.
#include <catch2/catch.hpp>

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>

#include "harness/os/clock.h"
#include "harness/stats/pulse_train.h"
#include "harness/trial/noise.h"

namespace tailgate {
namespace {

const Clock& run_clock_of_noise() {
  static const Clock clock(measure_clock());
  return clock;
}

// When the handler began. The signals come to one thread.
std::array<std::uint64_t, 4096> begins;
std::atomic<std::size_t> begin_count;

void spin(std::uint64_t until_ns) {
  while (run_clock_of_noise().now_ns() < until_ns) {
  }
}

void hold_for_30_us(int) {
  const std::uint64_t now_ns = run_clock_of_noise().now_ns();
  const std::size_t at = begin_count.fetch_add(1, std::memory_order_relaxed);
  if (at < begins.size()) begins[at] = now_ns;
  spin(now_ns + 30'000);
}

// Interrupts this thread every millisecond until the end of the scope.
class Interruptions {
 public:
  Interruptions() {
    run_clock_of_noise();  // before the handler needs it
    begin_count = 0;
    struct sigaction action {};
    action.sa_handler = hold_for_30_us;
    REQUIRE(sigaction(SIGRTMIN, &action, &before_) == 0);
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGRTMIN;
    event._sigev_un._tid = gettid();
    REQUIRE(timer_create(CLOCK_MONOTONIC, &event, &timer_) == 0);
    const itimerspec times{.it_interval = {0, 1'000'000}, .it_value = {0, 1'000'000}};
    REQUIRE(timer_settime(timer_, 0, &times, nullptr) == 0);
  }
  ~Interruptions() {
    timer_delete(timer_);
    sigaction(SIGRTMIN, &before_, nullptr);
  }
  Interruptions(const Interruptions&) = delete;
  Interruptions& operator=(const Interruptions&) = delete;

 private:
  struct sigaction before_ {};
  timer_t timer_{};
};

}  // namespace

TEST_CASE("a timer that holds an idle thread up is a tick, and is expected when it comes later") {
  const Interruptions interruptions;
  const NoiseBlock noise = observe_noise(run_clock_of_noise(), 200'000'000);
  const auto is_expected = [&](double begin_ns, double end_ns) {
    return std::any_of(noise.ticks.begin(), noise.ticks.end(), [&](const PulseTrain& tick) {
      return tick.period > 0 && may_have_pulse(tick, begin_ns, end_ns);
    });
  };
  CHECK(noise.ticks[0].period == Approx(1e6).epsilon(1e-3));
  const std::size_t first = begin_count.load();
  spin(run_clock_of_noise().now_ns() + 500'000'000);
  const std::size_t count = std::min(begin_count.load(), begins.size());
  REQUIRE(count > first + 100);
  std::size_t expected = 0;
  for (std::size_t i = first; i < count; ++i) {
    const auto begin_ns = static_cast<double>(begins[i]);
    // The handler begins when the gap has lasted for 10 to 30 us (seen on a virtual machine).
    expected += is_expected(begin_ns - 50'000, begin_ns) ? 1 : 0;
  }
  // The others were late: the machine had the processor.
  CHECK(static_cast<double>(expected) > 0.7 * static_cast<double>(count - first));
  // Most of the time none is expected.
  int unexpected = 0;
  for (int i = 0; i < 1000; ++i) {
    const double at_ns = static_cast<double>(begins[first]) + i * 497'000.0;
    unexpected += is_expected(at_ns, at_ns + 1000) ? 0 : 1;
  }
  CHECK(unexpected > 700);
}

TEST_CASE("the processor on which an idle thread looked is known") {
  CHECK(observe_noise(run_clock_of_noise(), 1'000'000).processor >= 0);
}

}  // namespace tailgate
