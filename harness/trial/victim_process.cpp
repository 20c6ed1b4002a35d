#include <atomic>
#include <bit>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "harness/base/affinity.h"
#include "harness/base/process.h"
#include "harness/trial/roles.h"
#include "harness/trial/trial_context.h"

namespace tailgate {
namespace {

constexpr std::size_t kWords = std::size_t{1} << 21;  // 8 MiB: beyond a processor's own caches
constexpr unsigned kHops = 2'000;                     // a round takes some ten to hundred us

// One cycle through all words in an order that no prefetcher guesses (Sattolo's shuffle); the same
// in every trial.
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
  // Half of it waits for memory, half for the processor; it goes on until it is ended.
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
