// A log of events, one after another in a mapped file whose pages are present before the writers
// need them. When append() has returned, its bytes survive the death of the process: the pages
// belong to the kernel.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <thread>

#include "harness/os/mapped_file.h"

namespace tailgate {

class MappedLog {
 public:
  // Allocates and prefaults a quarter more than expected_bytes, at most 2 GiB, before it returns. A
  // helper thread sleeps until an eighth of that or less is left, then extends the file ahead of
  // the writers. A trial that emits as many bytes as it announced never wakes it, if they fit.
  // Throws Error.
  MappedLog(const std::filesystem::path& path, std::size_t expected_bytes);
  ~MappedLog();

  // Appends `bytes` in one piece. Any number of threads may call it at once; it allocates nothing
  // and takes no lock. Returns false when there is no room now: the disk is full or the helper
  // thread is behind.
  bool append(std::span<const std::byte> bytes) noexcept;

  // Truncates the file to what was appended. Nothing may be appended afterwards. A second call does
  // nothing. Throws Error.
  void close();

 private:
  void grow_when_asked();
  void ask_for_growth() noexcept;
  void stop_helper() noexcept;

  MappedFile file_;
  std::byte* data_;
  alignas(64) std::atomic<std::size_t> used_bytes_ = 0;
  alignas(64) std::atomic<std::size_t> capacity_bytes_ = 0;
  std::atomic<std::size_t> low_water_bytes_ = 0;  // the first use beyond it asks for growth
  enum Request : std::uint32_t { kNone, kGrow, kStop };
  std::atomic<std::uint32_t> request_ = kNone;  // waited for by shared_wait.h, which misses none
  std::thread helper_;
};

}  // namespace tailgate
