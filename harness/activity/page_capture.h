// Pages of a trace buffer as they were read, and their records in the order of their times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "harness/tracefs/ring_page.h"

namespace tailgate::activity {

// The pages of one processor. Takes them while the trace runs, walks their records after it.
class PageCapture {
 public:
  explicit PageCapture(const tracefs::PageLayout& layout) : layout_(layout) {}

  // Keeps the used part of a page.
  void add(std::span<const std::byte> page);

  std::size_t bytes() const { return bytes_; }

  // The oldest record that was not taken, or null at the end. begin() makes the first one it.
  void begin();
  const tracefs::RingRecord* front() const { return record_ ? &*record_ : nullptr; }
  void pop();

  // Whether records were lost just before front(); since when is the caller's to know.
  bool lost_before_front() const { return lost_; }

  // So far. What the pages say without a number counts as one.
  std::uint64_t lost_records() const { return lost_records_; }
  std::uint64_t damaged_bytes() const { return damaged_bytes_; }

 private:
  bool open_next_page();

  tracefs::PageLayout layout_;
  std::deque<std::vector<std::byte>> blocks_;  // pages one after another, each whole in a block
  struct Page {
    std::size_t block;
    std::size_t at;
    std::size_t bytes;
  };
  std::vector<Page> pages_;
  std::size_t bytes_ = 0;
  std::size_t next_page_ = 0;
  tracefs::RingPage page_;
  std::optional<tracefs::RingRecord> record_;
  bool lost_ = false;
  std::uint64_t lost_records_ = 0;
  std::uint64_t damaged_bytes_ = 0;
};

}  // namespace tailgate::activity
