// A bounded queue of events: any number of threads put, one takes, in the order of the puts.
//
// Memory, allocated and written once before the first put:
//
//   | slot 0 | slot 1 | … | slot N - 1 |     each begins at a cache line (64 bytes)
//
//   slot: the event's size (8 bytes), the event, unused bytes up to the next cache line
//
// Two numbers count the events that were put and taken. Both only grow; event n is in slot n mod N.
// So the queue holds put - taken events, and never more than N. One lock protects both numbers. The
// taker reads events where they are, without the lock: a slot is free again once it is taken.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <vector>

namespace tailgate {

class EventRing {
 public:
  struct Plan {
    std::size_t slots = 0;
    std::size_t max_event_bytes = 0;
    std::size_t wake_events = 1;           // the taker sleeps until so many are there, …
    std::chrono::microseconds wake_us{0};  // … or until the oldest has waited about so long
  };

  // Throws Error if the slots are more than kMaxBytes.
  explicit EventRing(const Plan& plan);
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 30;

  enum class Put { done, full, closed, too_long };

  // Puts a copy of the event. If no slot is free: waits for one, or returns full at once.
  Put put(std::span<const std::byte> event, bool waits_for_room) noexcept;

  // Waits for events and hands them to `use`, the oldest first: up to kTakenAtOnce, then their
  // slots are free. Returns false once the ring is closed and empty.
  bool take(const std::function<void(std::span<const std::byte>)>& use);
  static constexpr std::size_t kTakenAtOnce = 64;

  // From now on puts are refused; take() hands over what is left. A second call does nothing.
  void close() noexcept;

  std::size_t slot_bytes() const { return slot_bytes_; }

 private:
  struct alignas(64) Line {
    std::byte bytes[64];
  };

  std::byte* slot(std::uint64_t event) noexcept;
  std::size_t wait_for_events(std::unique_lock<std::mutex>& lock);

  Plan plan_;
  std::size_t slot_bytes_;
  std::vector<Line> lines_;
  std::mutex mutex_;
  std::condition_variable not_full_;
  std::condition_variable not_empty_;
  std::uint64_t put_ = 0;
  std::uint64_t taken_ = 0;
  unsigned waiting_for_room_ = 0;
  bool taker_sleeps_ = false;
  bool closed_ = false;
};

}  // namespace tailgate
