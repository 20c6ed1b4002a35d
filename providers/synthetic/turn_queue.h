// A lock whose waiters get it in the order in which they came, across processes.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>

#include "harness/os/mapped_file.h"

namespace tailgate {

class TurnQueue {
 public:
  // All that name the same file, which is created when it is missing, share the lock. Throws Error.
  explicit TurnQueue(const std::filesystem::path& path);

  // Sleeps until all earlier callers have left. A process that dies in between never leaves.
  void enter() noexcept;
  void leave() noexcept;

 private:
  struct Turns {
    std::atomic<std::uint32_t> taken;   // numbers that were handed out
    std::atomic<std::uint32_t> called;  // the number whose turn it is
  };

  MappedFile file_;
  Turns* turns_;
};

}  // namespace tailgate
