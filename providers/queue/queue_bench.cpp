// What a call through a queue costs while its thread is awake: the ring of this folder, and what
// could be built from Boost.Lockfree for the same promises (bounded, several threads, no busy
// waiting): a queue of filled slots, one of free slots, and a flag that wakes the taker.
#include <benchmark/benchmark.h>

#include <array>
#include <atomic>
#include <boost/lockfree/queue.hpp>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "harness/base/event.h"
#include "providers/queue/event_ring.h"

namespace {

using namespace tailgate;

constexpr std::size_t kSlots = 8192;
constexpr std::size_t kEventBytes = 128;

class LockedRing {
 public:
  void put(std::span<const std::byte> event) { ring_.put(event, true); }
  bool take() {
    return ring_.take([](std::span<const std::byte> event) {
      benchmark::DoNotOptimize(event.data());
      benchmark::ClobberMemory();
    });
  }
  void close() { ring_.close(); }

 private:
  EventRing ring_{{.slots = kSlots, .max_event_bytes = kEventBytes}};
};

class LockFreeRing {
 public:
  LockFreeRing() : slots_(kSlots) {
    for (std::uint16_t slot = 0; slot < kSlots; ++slot) free_.bounded_push(slot);
  }

  void put(std::span<const std::byte> event) {
    std::uint16_t slot = 0;
    while (!free_.pop(slot)) std::this_thread::yield();
    std::memcpy(slots_[slot].data(), event.data(), event.size());
    filled_.bounded_push(slot);
    if (sleeps_.exchange(false)) wake();
  }

  bool take() {
    std::uint16_t slot = 0;
    while (!filled_.pop(slot)) {
      if (closed_) return false;
      std::unique_lock lock(mutex_);
      sleeps_ = true;
      if (filled_.empty() && !closed_) awake_.wait(lock, [this] { return !sleeps_ || closed_; });
    }
    benchmark::DoNotOptimize(slots_[slot].data());
    benchmark::ClobberMemory();
    free_.bounded_push(slot);
    return true;
  }

  void close() {
    closed_ = true;
    wake();
  }

 private:
  void wake() {
    const std::lock_guard lock(mutex_);
    awake_.notify_one();
  }

  std::vector<std::array<std::byte, kEventBytes>> slots_;
  boost::lockfree::queue<std::uint16_t, boost::lockfree::capacity<kSlots>> free_;
  boost::lockfree::queue<std::uint16_t, boost::lockfree::capacity<kSlots>> filled_;
  std::atomic<bool> sleeps_ = false;
  std::atomic<bool> closed_ = false;
  std::mutex mutex_;
  std::condition_variable awake_;
};

// As fast as calls return: now and then one waits for room.
template <class Ring>
void puts(benchmark::State& state) {
  const auto ring = std::make_unique<Ring>();  // too large for a stack
  std::thread taker([&] {
    while (ring->take()) {
    }
  });
  const std::vector<std::byte> event = prepare_event(EventEncoding::binary, kEventBytes);
  for (auto _ : state) ring->put(event);
  ring->close();
  taker.join();
}
BENCHMARK(puts<LockedRing>)->Name("mutex and condition variable");
BENCHMARK(puts<LockFreeRing>)->Name("Boost.Lockfree");

}  // namespace
