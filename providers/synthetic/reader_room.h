// A buffer of so many events between the synthetic sink's provider and its live consumer: what
// becomes of an event when the consumer is that far behind. The consumer counts in a file that both
// map.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "harness/os/mapped_file.h"

namespace tailgate {

class ReaderCount {
 public:
  explicit ReaderCount(const std::filesystem::path& path) : file_(path, kBytes) {
    file_.extend(kBytes);
    read_ = reinterpret_cast<std::atomic<std::uint64_t>*>(file_.data() + kOffset);
  }

  void add(std::uint64_t events) { read_->fetch_add(events, std::memory_order_relaxed); }
  void subtract(std::uint64_t events) { read_->fetch_sub(events, std::memory_order_relaxed); }
  std::uint64_t events() const { return read_->load(std::memory_order_relaxed); }

 private:
  static constexpr std::size_t kBytes = 4096;
  static constexpr std::size_t kOffset = 64;  // extend() may write the first byte of a page

  MappedFile file_;
  std::atomic<std::uint64_t>* read_;
};

enum class WhenReaderIsBehind : std::uint8_t { wait, lose, grow };

struct ReaderRoom {
  std::uint64_t events = 0;  // 0: without limit
  WhenReaderIsBehind then = WhenReaderIsBehind::wait;
};

inline ReaderRoom reader_room(std::int64_t events, const std::string& then) {
  return {.events = static_cast<std::uint64_t>(events),
          .then = then == "lose"   ? WhenReaderIsBehind::lose
                  : then == "grow" ? WhenReaderIsBehind::grow
                                   : WhenReaderIsBehind::wait};
}

}  // namespace tailgate
