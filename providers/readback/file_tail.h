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
  // What one fill() reads at most; and when nothing of the last one was consumed, which still holds
  // the largest event and the header that follows it.
  static constexpr std::size_t kWindowBytes = 256 * 1024;
  static constexpr std::size_t kIdleWindowBytes = 64 * 1024;
  static_assert(kIdleWindowBytes >= kMaxEventBytes + kTextHeaderBytes);

  // The file must exist. Throws Error.
  explicit FileTail(const std::filesystem::path& path);

  // Reads afresh from the first byte that was not consumed, so that bytes which were written in
  // place since the last call are seen. Returns what the file holds there, at most kWindowBytes;
  // valid until the next call. Empty: the end of the file, for now. Throws Error.
  std::span<const std::byte> fill();

  // True when the last fill() reached the end that the file had then.
  bool at_end() const { return at_end_; }

  // Moves on by bytes, at most the size of the last fill().
  void consume(std::size_t bytes);

  std::uint64_t consumed_bytes() const { return consumed_bytes_; }

 private:
  std::filesystem::path path_;
  std::filebuf file_;
  std::vector<char> window_;
  std::uint64_t consumed_bytes_ = 0;
  bool idle_ = false;  // the last window was looked at and nothing of it consumed
  bool at_end_ = false;
};

}  // namespace tailgate
