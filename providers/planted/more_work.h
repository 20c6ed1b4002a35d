// What a planted change makes calls do besides: compute, make system calls, write to a file.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "harness/os/clock.h"

namespace tailgate {

// Computes until this time of the run clock. A function of its own, so that profiles name it.
[[gnu::noinline]] void planted_loop(const Clock& clock, std::uint64_t until_ns) noexcept;

// Makes one system call that changes nothing and waits for nothing.
void make_system_call() noexcept;

// A file that takes bytes in blocks, so that many written bytes need few system calls. All blocks
// go to its start: it does not grow. Threads may write at the same time.
class BlockFile {
 public:
  static constexpr std::size_t kBlockBytes = std::size_t{16} * 1024;

  // Creates the file. Throws Error.
  explicit BlockFile(const std::filesystem::path& path);
  ~BlockFile();
  BlockFile(const BlockFile&) = delete;
  BlockFile& operator=(const BlockFile&) = delete;

  // Writes kBlockBytes; failed() tells whether any could not be written or synced.
  void write_block() noexcept;
  // Waits until what was written is on storage.
  void sync() noexcept;
  bool failed() const noexcept { return failed_.load(std::memory_order_relaxed); }

 private:
  std::intptr_t file_;
  std::atomic<bool> failed_ = false;
};

}  // namespace tailgate
