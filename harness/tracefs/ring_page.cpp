#include "harness/tracefs/ring_page.h"

#include <fmt/format.h>

#include <cstring>
#include <string>

#include "harness/base/error.h"
#include "harness/tracefs/event_format.h"

namespace tailgate::tracefs {
namespace {

constexpr std::size_t kWordBytes = 4;
constexpr unsigned kTypeBits = 5;
constexpr unsigned kDeltaBits = 27;
constexpr std::uint32_t kTypePadding = 29;
constexpr std::uint32_t kTypeTimeExtend = 30;
constexpr std::uint32_t kTypeTimeStamp = 31;
constexpr std::uint32_t kCommitMissed = 1u << 31;
constexpr std::uint32_t kCommitMissedStored = 1u << 30;
constexpr std::uint32_t kCommitBytesMask = (1u << kDeltaBits) - 1;
// An absolute time has only the lower 59 bits; the upper bits are those of the previous time.
constexpr unsigned kAbsoluteBits = 59;
constexpr std::uint64_t kAbsoluteMask = (std::uint64_t{1} << kAbsoluteBits) - 1;

std::uint64_t little_endian(std::span<const std::byte> bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data(), bytes.size());
  return value;
}

// Whether text has a line such as "name : 5 bits" or "name : type == 29", with any blanks.
bool says(std::string_view text, std::string_view name, std::string_view what) {
  const std::size_t at = text.find(name);
  if (at == std::string_view::npos) return false;
  std::string_view rest = text.substr(at + name.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t:"), rest.size()));
  return rest.starts_with(what);
}

}  // namespace

PageLayout parse_page_layout(std::string_view header_page, std::string_view header_event) {
  const EventFormat page = parse_event_format(header_page);
  const FormatField& time = page.field("timestamp");
  const FormatField& commit = page.field("commit");
  const FormatField& data = page.field("data");
  const PageLayout layout = {.commit_at = commit.offset_bytes,
                             .commit_bytes = commit.size_bytes,
                             .data_at = data.offset_bytes,
                             .page_bytes = data.offset_bytes + data.size_bytes};
  constexpr std::size_t kMaxPageBytes = std::size_t{1} << kDeltaBits;
  const bool known_page = time.offset_bytes == 0 && time.size_bytes == 8 && layout.commit_at == 8 &&
                          (layout.commit_bytes == 4 || layout.commit_bytes == 8) &&
                          layout.data_at >= 8 + layout.commit_bytes &&
                          layout.page_bytes <= kMaxPageBytes;
  const bool known_event = says(header_event, "type_len", "5 bits") &&
                           says(header_event, "time_delta", "27 bits") &&
                           says(header_event, "padding", "type == 29") &&
                           says(header_event, "time_extend", "type == 30");
  if (known_page && known_event) return layout;
  throw Error(fmt::format("the pages of the kernel's trace buffer have an unknown layout (commit "
                          "at {}, {} bytes, data at {}, {} bytes)",
                          layout.commit_at, layout.commit_bytes, layout.data_at, data.size_bytes),
              "report the texts of events/header_page and events/header_event");
}

RingPage::RingPage(const PageLayout& layout, std::span<const std::byte> page) {
  if (page.size() < layout.data_at) {
    damaged_bytes_ = page.size();
    return;
  }
  const std::uint64_t commit = little_endian(page.subspan(layout.commit_at, layout.commit_bytes));
  const std::span<const std::byte> data = page.subspan(layout.data_at);
  const std::size_t used_bytes = commit & kCommitBytesMask;
  if (used_bytes > data.size()) {
    damaged_bytes_ = page.size();
    return;
  }
  ticks_ = little_endian(page.first(sizeof ticks_));
  used_ = data.first(used_bytes);
  missed_ = (commit & kCommitMissed) != 0;
  const std::span<const std::byte> behind = data.subspan(used_bytes);
  if (missed_ && (commit & kCommitMissedStored) != 0 && behind.size() >= layout.commit_bytes) {
    missed_events_ = little_endian(behind.first(layout.commit_bytes));
  }
}

bool RingPage::next(RingRecord& record) {
  while (used_.size() - at_ >= kWordBytes) {
    const std::uint32_t header = word(at_);
    const std::uint32_t type = header & ((1u << kTypeBits) - 1);
    const std::uint32_t delta = header >> kTypeBits;
    if (type != 0 && type < kTypePadding) {
      ticks_ += delta;
      return take(kWordBytes, type * kWordBytes, record);
    }
    if (type == kTypePadding && delta == 0) {
      at_ = used_.size();
      return false;
    }
    if (used_.size() - at_ < 2 * kWordBytes) return give_up();
    const std::uint32_t second = word(at_ + kWordBytes);
    if (type == kTypeTimeExtend) {
      ticks_ += (std::uint64_t{second} << kDeltaBits) + delta;
      at_ += 2 * kWordBytes;
    } else if (type == kTypeTimeStamp) {
      const std::uint64_t absolute = (std::uint64_t{second} << kDeltaBits) + delta;
      ticks_ = (ticks_ & ~kAbsoluteMask) | (absolute & kAbsoluteMask);
      at_ += 2 * kWordBytes;
    } else {
      ticks_ += delta;
      if (second < kWordBytes) return give_up();
      if (!take(2 * kWordBytes, second - kWordBytes, record)) return false;
      if (type == 0) return true;
    }
  }
  return at_ == used_.size() ? false : give_up();
}

bool RingPage::take(std::size_t header_bytes, std::size_t data_bytes, RingRecord& record) {
  const std::size_t rounded = (data_bytes + kWordBytes - 1) / kWordBytes * kWordBytes;
  if (used_.size() - at_ < header_bytes || used_.size() - at_ - header_bytes < rounded) {
    return give_up();
  }
  record = {ticks_, used_.subspan(at_ + header_bytes, data_bytes)};
  at_ += header_bytes + rounded;
  return true;
}

bool RingPage::give_up() {
  damaged_bytes_ += used_.size() - at_;
  at_ = used_.size();
  return false;
}

std::uint32_t RingPage::word(std::size_t at) const {
  std::uint32_t value;
  std::memcpy(&value, used_.data() + at, sizeof value);
  return value;
}

}  // namespace tailgate::tracefs
