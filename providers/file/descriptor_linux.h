// A file descriptor, with the calls that several modes share.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace tailgate::file {

class Descriptor {
 public:
  // Opens an existing file for writing, with additional open(2) flags. Throws Error.
  Descriptor(const std::filesystem::path& path, int flags);
  ~Descriptor();
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int native() const { return descriptor_; }
  bool is_open() const { return descriptor_ >= 0; }

  // Writes all of `bytes`; resumes after interruptions and short writes. Returns 0 or an errno.
  // After an error a part of `bytes` may be in the file.
  int write_all(std::span<const std::byte> bytes) const noexcept;
  int write_all_at(std::span<const std::byte> bytes, std::uint64_t offset_bytes) const noexcept;

  // A second call does nothing. Throws Error.
  void close();

 private:
  std::filesystem::path path_;
  int descriptor_;
};

// Calls fdatasync after every Nth event, counted over all threads.
class PeriodicSync {
 public:
  // every: N; 0: never.
  explicit PeriodicSync(std::uint64_t every) : every_(every) {}

  void after_event(const Descriptor& file) noexcept;

  // Throws Error when an fdatasync failed. The events are then in the file, but perhaps not on the
  // disk, so the measured times are not those of durable events.
  void check(const std::filesystem::path& path) const;

 private:
  std::uint64_t every_;
  std::atomic<std::uint64_t> events_ = 0;
  std::atomic<int> error_ = 0;
};

}  // namespace tailgate::file
