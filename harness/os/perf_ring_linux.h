// The ring buffer into which the kernel writes the records of one event (perf_event_open(2)).
#pragma once

#include <linux/perf_event.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tailgate {

// Opens an event for one thread, while it runs on that processor; -1: on whichever. Returns a
// descriptor, or -errno.
int open_perf_event(perf_event_attr attributes, std::uint32_t thread, int cpu = -1);

class PerfRing {
 public:
  // Takes the descriptor of an event. max_pages: of data, a power of two; the ring has fewer where
  // the user may not lock as much memory. Throws Error.
  PerfRing(int descriptor, std::size_t max_pages);
  PerfRing(PerfRing&& other) noexcept;
  PerfRing& operator=(PerfRing&&) = delete;
  ~PerfRing();

  // Appends the new records, and frees their space in the ring. The kernel drops what does not fit
  // and then writes how many records those were.
  void drain(std::vector<std::byte>& records);

  // From now on nothing is recorded or counted.
  void stop();

  // How often the event happened. Dropped records count, also those that the kernel has not told of
  // in the ring yet.
  std::uint64_t count() const;

 private:
  int descriptor_;
  std::byte* ring_ = nullptr;
  std::size_t data_bytes_ = 0;
};

// Takes the next record off the beginning of the bytes. Returns nothing if they hold no whole one.
std::span<const std::byte> next_perf_record(std::span<const std::byte>& bytes);

}  // namespace tailgate
