// Memory that ends where the process may not go on.
#pragma once

#include <cstddef>
#include <utility>

namespace tailgate {

// Whole pages, followed by one that nobody may touch: a read or write over the end ends the
// process.
class GuardedMemory {
 public:
  // Throws Error if the memory cannot be had.
  explicit GuardedMemory(std::size_t size_bytes);
  ~GuardedMemory();
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;

  // The last size_bytes before the page that nobody may touch.
  std::byte* last(std::size_t size_bytes) { return data_ + usable_bytes_ - size_bytes; }

 private:
  std::byte* data_;
  std::size_t usable_bytes_;
  std::size_t all_bytes_;
};

}  // namespace tailgate
