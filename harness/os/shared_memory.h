// Memory that the controller shares with the provider and consumer processes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace tailgate {

// A mapping of anonymous shared memory. It has no name in any file system, and the system frees it
// when the last process that holds it ends in any way.
class SharedMemory {
 public:
  // Creates zeroed memory with every page present. Throws Error if there is not enough memory.
  static SharedMemory create(std::size_t size_bytes);

  // Opens inherited memory. handle: what handle() returned in the process that created it. Throws
  // Error if it is not such a handle.
  static SharedMemory open_inherited(const std::string& handle);

  SharedMemory(SharedMemory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_bytes_(other.size_bytes_),
        native_(std::exchange(other.native_, -1)) {}
  SharedMemory& operator=(SharedMemory&&) = delete;
  ~SharedMemory();

  std::byte* data() const { return data_; }
  std::size_t size_bytes() const { return size_bytes_; }

  // handle() is the text that a child passes to open_inherited(), native() the handle that it must
  // inherit.
  std::string handle() const;
  std::intptr_t native() const { return native_; }

  // Locks this process's mapping in RAM. Returns false if the system refuses (RLIMIT_MEMLOCK).
  bool lock();

 private:
  SharedMemory(std::byte* data, std::size_t size_bytes, std::intptr_t native)
      : data_(data), size_bytes_(size_bytes), native_(native) {}

  std::byte* data_;
  std::size_t size_bytes_;
  std::intptr_t native_;
};

}  // namespace tailgate
