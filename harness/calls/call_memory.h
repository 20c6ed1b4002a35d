// The shared memory into which a program records its calls (tailgate/mark.h), as tailgate sees it.
//
// The program can write any bytes there, by an error of its own or on purpose. So nothing that it
// could have written is used as a size, an index or a pointer, and counts that no program can reach
// make the memory damaged.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/calls/include/tailgate/mark.h"
#include "harness/histogram/histogram.h"
#include "harness/os/clock.h"
#include "harness/os/shared_memory.h"
#include "harness/result/result.h"

namespace tailgate {

inline constexpr std::size_t kCallKinds = TAILGATE_MARK_KINDS;

struct CallMemoryPlan {
  std::uint32_t threads = 64;
  std::uint32_t slowest = 16;  // calls kept per thread, at least one
  ClockParameters clock;
};

// What the program has counted so far, of all threads together.
struct CallCounts {
  std::uint32_t processes = 0;
  std::uint32_t threads = 0;
  std::uint32_t threads_not_timed = 0;
  std::uint64_t calls_not_timed = 0;
  std::uint64_t started = 0;
  std::uint64_t finished = 0;
  std::uint64_t refused = 0;
  std::uint64_t inner = 0;
  std::uint64_t first_start_ns = 0;  // 0: no call
  std::uint64_t last_end_ns = 0;
  std::array<std::uint64_t, kCallKinds> kinds{};
  std::uint32_t libraries_loaded = 0;  // audit: a bit for each function; see tailgate/mark.h
  std::uint32_t functions_bound = 0;
  std::uint64_t records_lost = 0;  // uprobe: of the kernel's trace, two for each call
};

// The distributions of all threads together. Calls without a due time count in the response times
// with their service times, as in a closed loop.
struct CallTimes {
  Histogram service;
  Histogram response;
  std::uint64_t with_due = 0;  // number of calls that stated when they were due
};

class CallMemory {
 public:
  // Throws Error if there is not enough memory.
  explicit CallMemory(const CallMemoryPlan& plan);

  // The histograms' range.
  static HistogramRange range();

  // Where the program finds the memory.
  std::string path() const;

  // The next three may be called while the program runs.
  CallCounts counts() const;
  // Throws Error if the program has overwritten the memory.
  CallTimes times() const;
  // The system's ids of the threads that recorded, each once.
  std::vector<std::uint32_t> threads() const;

  // By service time, longest first; `thread` is the place in threads(). Slots that make no sense
  // are left out.
  std::vector<SlowCall> slowest() const;

  // The version of a tailgate/mark.h with which the program was built and that does not fit.
  std::optional<std::uint32_t> other_version() const;

  // The memory, for whoever records calls for the program, and for tests.
  SharedMemory& memory() { return memory_; }

 private:
  std::uint32_t threads_used() const;
  // With the system's ids in place of `thread`.
  std::vector<SlowCall> kept_calls() const;
  tailgate_mark_thread& thread(std::uint32_t number) const;
  const std::uint64_t* histogram(std::uint32_t thread, unsigned which) const;
  Histogram merged(unsigned which) const;
  tailgate_mark_memory& header() const {
    return *reinterpret_cast<tailgate_mark_memory*>(memory_.data());
  }

  CallMemoryPlan plan_;
  HistogramLayout layout_;
  std::size_t histogram_bytes_;
  std::size_t thread_bytes_;
  SharedMemory memory_;
};

}  // namespace tailgate
