// Memory that the controller shares with the provider and the consumer processes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace tailgate {

// A mapping of anonymous shared memory. It has no name in any file system: it goes away with the
// last process that holds it, whichever way that process ends.
class SharedMemory {
 public:
  // Zeroed memory, every page present. Throws Error when there is not enough of it.
  static SharedMemory create(std::size_t size_bytes);

  // The memory behind a handle that this process inherited: what handle() gave in the process that
  // created it. Throws Error when it is none.
  static SharedMemory open_inherited(const std::string& handle);

  SharedMemory(SharedMemory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_bytes_(other.size_bytes_),
        native_(std::exchange(other.native_, -1)) {}
  SharedMemory& operator=(SharedMemory&&) = delete;
  ~SharedMemory();

  std::byte* data() const { return data_; }
  std::size_t size_bytes() const { return size_bytes_; }

  // What a child process passes to open_inherited, and the number that it must inherit.
  std::string handle() const;
  std::intptr_t native() const { return native_; }

  // Keeps this process's mapping in RAM. False when the system refuses (RLIMIT_MEMLOCK).
  bool lock();

 private:
  SharedMemory(std::byte* data, std::size_t size_bytes, std::intptr_t native)
      : data_(data), size_bytes_(size_bytes), native_(native) {}

  std::byte* data_;
  std::size_t size_bytes_;
  std::intptr_t native_;
};

}  // namespace tailgate
