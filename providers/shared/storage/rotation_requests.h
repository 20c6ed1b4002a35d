// How a session asks the program to begin its next file: two counts in a file that both map.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <thread>

#include "harness/os/mapped_file.h"

namespace tailgate {

class RotationRequests {
 public:
  // Zeros are a log that nobody has asked to rotate. Throws Error.
  explicit RotationRequests(const std::filesystem::path& path) : file_(path, kBytes) {
    file_.extend(kBytes);
    counts_ = reinterpret_cast<Counts*>(file_.data() + kOffset);
  }

  // For the program: whether it is to begin the next file, and that it has. One thread at a time.
  bool due() const noexcept {
    return counts_->asked.load(std::memory_order_relaxed) !=
           counts_->done.load(std::memory_order_relaxed);
  }
  void done() noexcept {
    counts_->done.store(counts_->asked.load(std::memory_order_relaxed), std::memory_order_release);
  }

  // For the session. Returns whether the program has begun the next file within that time, which it
  // does with its next event.
  bool ask(std::chrono::milliseconds patience) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    const std::uint64_t wanted = counts_->asked.fetch_add(1, std::memory_order_relaxed) + 1;
    while (counts_->done.load(std::memory_order_acquire) < wanted) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    return true;
  }

 private:
  static constexpr std::size_t kBytes = 4096;
  static constexpr std::size_t kOffset = 64;  // extend() may write the first byte of a page

  struct Counts {
    std::atomic<std::uint64_t> asked;
    std::atomic<std::uint64_t> done;
  };
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

  MappedFile file_;
  Counts* counts_;
};

}  // namespace tailgate
