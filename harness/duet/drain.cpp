#include "harness/duet/drain.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "harness/base/process.h"
#include "harness/duet/runnable.h"

namespace tailgate {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLimit{250};
constexpr std::chrono::milliseconds kBetweenLooks{2};
// Of processor time between two looks, a tenth: timers, no work. Waking up for a timer costs up to
// 50 us in virtual machines.
constexpr std::uint64_t kIdleNs = 200'000;
constexpr int kIdleLooks = 2;

std::uint64_t cpu_ns(const std::vector<int>& pids) {
  std::uint64_t sum_ns = 0;
  for (const int pid : pids) sum_ns += process_cpu_ns(pid).value_or(0);
  return sum_ns;
}

}  // namespace

DrainOutcome drain(const std::vector<int>& pids, const std::function<bool()>& delivered) {
  const auto start = steady_clock::now();
  const auto waited_ns = [start] {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(steady_clock::now() - start).count());
  };
  std::uint64_t before_ns = cpu_ns(pids);
  for (int idle_looks = 0; idle_looks < kIdleLooks && !delivered();) {
    if (steady_clock::now() - start > kLimit) return {waited_ns(), true};
    std::this_thread::sleep_for(kBetweenLooks);
    const std::uint64_t now_ns = cpu_ns(pids);
    // Less than before: a process has ended. One that only waits for a processor is not idle.
    const bool idle =
        now_ns < before_ns + kIdleNs && std::none_of(pids.begin(), pids.end(), is_runnable);
    idle_looks = idle ? idle_looks + 1 : 0;
    before_ns = now_ns;
  }
  return {waited_ns(), false};
}

}  // namespace tailgate
