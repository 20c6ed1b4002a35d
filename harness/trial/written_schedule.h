// The load of a trial as numbers in memory, for a program in another language that makes the calls:
// every intended time and every event's size, computed by the code that the harness's own load
// threads use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/base/event.h"
#include "harness/os/shared_memory.h"
#include "harness/trial/trial_memory.h"

namespace tailgate {

// The most intended times of a trial: 128 MiB of them.
inline constexpr std::size_t kMaxWrittenTimes = std::size_t{1} << 24;

class WrittenSchedule {
 public:
  // Throws Error if there are more than kMaxWrittenTimes.
  WrittenSchedule(const TrialPlan& plan, EventEncoding encoding);

  // One list a load thread, or, of a load in turns, one a turn; all empty in a closed loop. Times
  // are relative to the start of the load or of the turn.
  std::size_t lists() const { return first_.size() - 1; }
  // Number of sizes of each thread, used cyclically; a power of two.
  std::size_t sizes_each() const { return sizes_each_; }

  // Where the parts begin in the memory: where each list's times begin and the last one's end, as
  // indices (u64); the times (u64); the sizes of each thread after those of the one before (u16);
  // the largest event, with its body and without its header.
  std::size_t first_at() const { return 0; }
  std::size_t times_at() const { return first_.size() * sizeof(std::uint64_t); }
  std::size_t sizes_at() const { return times_at() + times_.size() * sizeof(std::uint64_t); }

  std::size_t event_at() const { return sizes_at() + sizes_.size() * sizeof(std::uint16_t); }

  SharedMemory write() const;

 private:
  void add_thread(const TrialPlan& plan, unsigned thread);
  void add_turn(const TrialPlan& plan, std::uint32_t number);
  void add_time(std::uint64_t offset_ns);

  std::vector<std::uint64_t> first_;
  std::vector<std::uint64_t> times_;
  std::vector<std::uint16_t> sizes_;
  std::size_t sizes_each_ = 0;
  std::vector<std::byte> event_;
};

}  // namespace tailgate
