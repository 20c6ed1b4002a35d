#include "harness/base/event.h"

#include <algorithm>
#include <array>

namespace tailgate {
namespace {

// Printable and hard to compress, so that a sink that compresses large events (journald) gains no
// advantage from the artificial content.
const std::array<std::byte, kMaxEventBytes>& body_pattern() {
  static const auto pattern = [] {
    constexpr char kLetters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    std::array<std::byte, kMaxEventBytes> bytes{};
    std::uint64_t state = 0x2545F4914F6CDD1Dull;
    for (std::byte& byte : bytes) {
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      byte = static_cast<std::byte>(kLetters[state >> 58]);
    }
    return bytes;
  }();
  return pattern;
}

bool read_words(const std::byte* from, EventEncoding encoding, std::uint64_t (&words)[4]) {
  if (encoding == EventEncoding::binary) {
    std::memcpy(words, from, sizeof words);
    return true;
  }
  for (std::size_t i = 0; i < 4; ++i) {
    words[i] = 0;
    for (std::size_t half = 0; half < 16; ++half) {
      const auto value = static_cast<unsigned>(from[16 * i + half]) - 'a';
      if (value > 15) return false;
      words[i] |= std::uint64_t{value} << (4 * half);
    }
  }
  return true;
}

EventCheck read_stamp(std::span<const std::byte> event, EventEncoding encoding, EventStamp& stamp) {
  if (event.size() < min_event_bytes(encoding)) return EventCheck::too_short;
  std::uint64_t words[4];
  if (!read_words(event.data(), encoding, words)) return EventCheck::not_an_event;
  if (static_cast<std::uint32_t>(words[0]) != kEventMagic) return EventCheck::not_an_event;
  stamp = {.run = static_cast<std::uint32_t>(words[3]),
           .thread = static_cast<std::uint16_t>(words[0] >> 48),
           .size_bytes = static_cast<std::uint16_t>(words[0] >> 32),
           .sequence = words[1],
           .emit_ns = words[2]};
  const std::uint32_t expected = event_detail::checksum_with_time(
      event_detail::hash_before_time(words[0], stamp.sequence, stamp.run), stamp.emit_ns);
  return static_cast<std::uint32_t>(words[3] >> 32) == expected ? EventCheck::intact
                                                                : EventCheck::bad_checksum;
}

}  // namespace

std::vector<std::byte> prepare_event(EventEncoding encoding, std::size_t size_bytes) {
  const std::size_t header_bytes = min_event_bytes(encoding);
  std::vector<std::byte> event(std::clamp(size_bytes, header_bytes, kMaxEventBytes));
  std::copy_n(body_pattern().begin(), event.size() - header_bytes,
              event.begin() + static_cast<std::ptrdiff_t>(header_bytes));
  return event;
}

EventCheck check_event(std::span<const std::byte> event, EventEncoding encoding,
                       EventStamp& stamp) {
  const EventCheck header = read_stamp(event, encoding, stamp);
  if (header != EventCheck::intact) return header;
  if (stamp.size_bytes != event.size()) return EventCheck::wrong_size;
  const std::size_t header_bytes = min_event_bytes(encoding);
  const std::span body = event.subspan(header_bytes);
  if (body.size() > kMaxEventBytes) return EventCheck::wrong_size;
  return std::memcmp(body.data(), body_pattern().data(), body.size()) == 0 ? EventCheck::intact
                                                                           : EventCheck::bad_body;
}

std::size_t announced_size_bytes(std::span<const std::byte> bytes, EventEncoding encoding) {
  EventStamp stamp;
  return read_stamp(bytes, encoding, stamp) == EventCheck::intact ? stamp.size_bytes : 0;
}

}  // namespace tailgate
