// How many events a path took, counted beside the path: for daemons whose interface calls an event
// taken that never arrived. The session compares the count with what the daemon says it received.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>

namespace tailgate {

// The counts lie in a mapped file in the trial's directory, one cache line a load thread, so that
// they survive a provider that is killed.
class AcceptedCounts {
 public:
  // Creates the file. Throws Error.
  AcceptedCounts(const std::filesystem::path& directory, unsigned threads);
  ~AcceptedCounts();
  AcceptedCounts(const AcceptedCounts&) = delete;
  AcceptedCounts& operator=(const AcceptedCounts&) = delete;

  // After each event that the path took. No two threads with one number.
  void add(unsigned thread) noexcept {
    std::atomic<std::uint64_t>& events = lines_[thread].events;
    events.store(events.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  // The sum in a trial's directory; 0 when no provider came to count. Throws Error.
  static std::uint64_t total(const std::filesystem::path& directory);

 private:
  struct alignas(64) Line {
    std::atomic<std::uint64_t> events;
  };

  std::unique_ptr<class MappedFile> file_;
  Line* lines_;
};

}  // namespace tailgate
