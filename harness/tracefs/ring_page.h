// The pages of the Linux kernel's trace ring buffer, as read(2) on a trace_pipe_raw file gives
// them: a header, then records of four-byte words.
//
// Format: include/linux/ring_buffer.h of the kernel, and the two files events/header_page and
// events/header_event that describe it. Each record begins with a word of 5 bits type_len and 27
// bits time_delta (ticks of the buffer's clock since the record before):
//   type_len 1 … 28   4 * type_len bytes of data follow
//            0        the next word counts the bytes from itself to the end of the record
//            29       nothing: until the end of the page where time_delta is 0, else like 0
//            30       the next word holds the upper bits of a longer delta
//            31       the next word holds the upper bits of an absolute time
// The header is the time before the first record and the number of bytes used; two of that number's
// upper bits say that events before this page were overwritten and that their number follows the
// last record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tailgate::tracefs {

// Where a page keeps what; differs between kernels of 32 and 64 bits and with the page's size.
struct PageLayout {
  std::size_t commit_at = 8;
  std::size_t commit_bytes = 8;
  std::size_t data_at = 16;
  std::size_t page_bytes = 4096;
};

// From the texts of events/header_page and events/header_event. Throws Error when the layout is
// none that RingPage can take apart.
PageLayout parse_page_layout(std::string_view header_page, std::string_view header_event);

struct RingRecord {
  std::uint64_t ticks = 0;               // of the buffer's clock
  std::span<const std::byte> data = {};  // rounded up to whole words
};

// Walks the records of one page. Any bytes are safe.
class RingPage {
 public:
  RingPage() = default;

  // page must outlive this and every record.
  RingPage(const PageLayout& layout, std::span<const std::byte> page);

  // The next record, or false at the end of the page.
  bool next(RingRecord& record);

  // Events were overwritten before this page was read …
  bool missed() const { return missed_; }
  // … this many, where the kernel had room on the page to say so.
  std::optional<std::uint64_t> missed_events() const { return missed_events_; }

  // Of the records together; 0 where the header is damaged.
  std::size_t used_bytes() const { return used_.size(); }

  // Bytes behind the last record that are none; grows with next().
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
