// Counts the events that a logging call accepted. Some daemons' interfaces report success for an
// event that never arrived; the session compares this count with what the daemon says it received.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>

namespace tailgate {

// The counts are in a mapped file in the trial's directory, so they survive a killed provider. Each
// load thread has a cache line of its own.
class AcceptedCounts {
 public:
  // Creates the file. Throws Error.
  AcceptedCounts(const std::filesystem::path& directory, unsigned threads);
  ~AcceptedCounts();
  AcceptedCounts(const AcceptedCounts&) = delete;
  AcceptedCounts& operator=(const AcceptedCounts&) = delete;

  // Call it after each accepted event. No two threads may use the same number.
  void add(unsigned thread) noexcept {
    std::atomic<std::uint64_t>& events = lines_[thread].events;
    events.store(events.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  // The sum over all threads, read from a trial's directory; 0 when no provider ever counted.
  // Throws Error.
  static std::uint64_t total(const std::filesystem::path& directory);

 private:
  struct alignas(64) Line {
    std::atomic<std::uint64_t> events;
  };

  std::unique_ptr<class MappedFile> file_;
  Line* lines_;
};

}  // namespace tailgate
