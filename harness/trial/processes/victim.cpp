#include <atomic>
#include <bit>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "harness/os/affinity.h"
#include "harness/os/process.h"
#include "harness/trial/processes/role.h"
#include "harness/trial/processes/trial_sink.h"

namespace tailgate {
namespace {

constexpr std::size_t kWords = std::size_t{1} << 21;  // 8 MiB: larger than a core's private caches
constexpr unsigned kHops = 2'000;                     // a round takes some tens to hundreds of us

// Returns one cycle through all words in an order that prefetchers cannot predict (Sattolo's
// shuffle); the same in every trial.
std::vector<std::uint32_t> ring() {
  std::vector<std::uint32_t> next(kWords);
  std::iota(next.begin(), next.end(), 0);
  std::mt19937 random(1);
  for (std::size_t i = kWords - 1; i > 0; --i) std::swap(next[i], next[random() % i]);
  return next;
}

}  // namespace

int run_victim_process(const std::string& shared_memory_handle) {
  prepare_child_process();
  name_this_thread("tg-victim");
  const TrialMemory memory = TrialMemory::open_inherited(shared_memory_handle);
  bind_this_thread(cpu_list(memory.plan().victim_cpus));
  const std::vector<std::uint32_t> next = ring();
  std::atomic<std::uint64_t>& rounds = memory.header().victim_rounds;
  std::uint32_t at = 0;
  std::uint64_t mixed = 1;
  // About half of a round waits for memory, half is computation. It repeats until it is killed.
  while (true) {
    for (unsigned hop = 0; hop < kHops; ++hop) at = next[at];
    for (unsigned step = 0; step < 20 * kHops; ++step) {
      mixed = std::rotl(mixed * 0x9E3779B97F4A7C15 + at, 31);
    }
    at ^= static_cast<std::uint32_t>(mixed & 1);
    rounds.fetch_add(1, std::memory_order_relaxed);
  }
}

}  // namespace tailgate
