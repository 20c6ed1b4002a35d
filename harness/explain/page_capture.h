// Stores the pages of a trace buffer as they are read, then iterates over their records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "harness/tracefs/ring_page.h"

namespace tailgate::activity {

// The pages of one processor, in the order of their records' times. add() stores pages while the
// trace runs; start() and pop() iterate over the records after it.
class PageCapture {
 public:
  explicit PageCapture(const tracefs::PageLayout& layout) : layout_(layout) {}

  // Stores the used part of a page.
  void add(std::span<const std::byte> page);

  std::size_t bytes() const { return bytes_; }

  // front() is the oldest record that was not popped, or null after the last. first() makes the
  // first record the front; call it before front().
  void start();
  const tracefs::RingRecord* front() const { return record_ ? &*record_ : nullptr; }
  void pop();

  // Whether records were lost between the previous record and front().
  bool lost_before_front() const { return lost_; }

  // Totals of the pages iterated so far. A page that lost records without stating how many counts
  // as one.
  std::uint64_t lost_records() const { return lost_records_; }
  std::uint64_t damaged_bytes() const { return damaged_bytes_; }

 private:
  bool open_next_page();

  tracefs::PageLayout layout_;
  std::deque<std::vector<std::byte>> blocks_;  // pages back to back; no page spans two blocks
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
