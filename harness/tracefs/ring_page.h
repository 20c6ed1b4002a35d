// Parses the pages of the Linux kernel's trace ring buffer, as read(2) on a trace_pipe_raw file
// returns them: a header, then records of four-byte words.
//
// Format: include/linux/ring_buffer.h of the kernel, and the files events/header_page and
// events/header_event that describe it. Each record begins with a word of 5 bits type_len and 27
// bits time_delta (ticks of the buffer's clock since the previous record):
//   type_len 1 … 28   4 * type_len bytes of data follow
//            0        the next word counts the bytes from itself to the end of the record
//            29       padding: to the end of the page if time_delta is 0, else like 0
//            30       the next word holds the upper bits of a longer delta
//            31       the next word holds the upper bits of an absolute time
// The header holds the time before the first record and the number of bytes used. Two upper bits of
// that number tell that events before this page were overwritten, and that their number follows the
// last record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tailgate::tracefs {

// Offsets and sizes within a page; they depend on the page size and on whether the kernel has 32 or
// 64 bits.
struct PageLayout {
  std::size_t commit_at = 8;
  std::size_t commit_bytes = 8;
  std::size_t data_at = 16;
  std::size_t page_bytes = 4096;
};

// Parses the texts of events/header_page and events/header_event. Throws Error if RingPage does not
// support the layout.
PageLayout parse_page_layout(std::string_view header_page, std::string_view header_event);

struct RingRecord {
  std::uint64_t ticks = 0;               // of the buffer's clock
  std::span<const std::byte> data = {};  // padded to whole words
};

// Iterates over the records of one page. Accepts any bytes.
class RingPage {
 public:
  RingPage() = default;

  // page must outlive this object and every record.
  RingPage(const PageLayout& layout, std::span<const std::byte> page);

  // Sets `record` to the next record. Returns false at the end of the page.
  bool next(RingRecord& record);

  // Events were overwritten before this page was read …
  bool missed() const { return missed_; }
  // … this many, if the page had room for the number.
  std::optional<std::uint64_t> missed_events() const { return missed_events_; }

  // Size of all records together; 0 if the header is damaged.
  std::size_t used_bytes() const { return used_.size(); }

  // Bytes after the last valid record that are not a record. Known after next() returned false.
  std::size_t damaged_bytes() const { return damaged_bytes_; }

 private:
  bool take(std::size_t header_bytes, std::size_t data_bytes, RingRecord& record);
  bool give_up();
  std::uint32_t word(std::size_t at) const;

  std::span<const std::byte> used_;  // the records
  std::size_t at_ = 0;
  std::uint64_t ticks_ = 0;
  std::optional<std::uint64_t> missed_events_;
  std::size_t damaged_bytes_ = 0;
  bool missed_ = false;
};

}  // namespace tailgate::tracefs
