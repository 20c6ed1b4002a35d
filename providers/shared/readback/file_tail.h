// Reads a file that another process may still be writing, front to back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <vector>

#include "harness/base/event.h"

namespace tailgate {

class FileTail {
 public:
  // The most that one fill() reads, and the most after a fill() of which nothing was consumed. The
  // smaller window still holds the largest event and the header after it.
  static constexpr std::size_t kWindowBytes = 256 * 1024;
  static constexpr std::size_t kIdleWindowBytes = 64 * 1024;
  static_assert(kIdleWindowBytes >= kMaxEventBytes + kTextHeaderBytes);

  // The file must exist. Throws Error.
  explicit FileTail(const std::filesystem::path& path);

  // Reads again from the first byte that was not consumed, and so sees bytes that were written in
  // place since the last call. Returns at most kWindowBytes, valid until the next call; empty at
  // the end of the file as it is now. Throws Error.
  std::span<const std::byte> fill();

  // True when the last fill() reached the end of the file as it was then.
  bool at_end() const { return at_end_; }

  // Moves forward by `bytes`, which is at most the size of the last fill().
  void consume(std::size_t bytes);

  std::uint64_t consumed_bytes() const { return consumed_bytes_; }

 private:
  std::filesystem::path path_;
  std::filebuf file_;
  std::vector<char> window_;
  std::uint64_t consumed_bytes_ = 0;
  bool idle_ = false;  // nothing of the last window was consumed
  bool at_end_ = false;
};

}  // namespace tailgate
