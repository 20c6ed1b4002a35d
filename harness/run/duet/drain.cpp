#include "harness/run/duet/drain.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "harness/os/process.h"
#include "harness/run/duet/runnable.h"

namespace tailgate {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLimit{250};
constexpr std::chrono::milliseconds kPollInterval{2};
// A tenth of the time between two polls: less processor time comes from timers and is not work. A
// timer's wake-up costs up to 50 us in virtual machines.
constexpr std::uint64_t kIdleNs = 200'000;
constexpr int kIdlePolls = 2;

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
  for (int idle_polls = 0; idle_polls < kIdlePolls && !delivered();) {
    if (steady_clock::now() - start > kLimit) return {waited_ns(), true};
    std::this_thread::sleep_for(kPollInterval);
    const std::uint64_t now_ns = cpu_ns(pids);
    // The sum decreases if a process has ended. A process that waits for a processor is not idle.
    const bool idle =
        now_ns < before_ns + kIdleNs && std::none_of(pids.begin(), pids.end(), is_runnable);
    idle_polls = idle ? idle_polls + 1 : 0;
    before_ns = now_ns;
  }
  return {waited_ns(), false};
}

}  // namespace tailgate
