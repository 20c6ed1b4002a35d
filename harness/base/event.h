// The event that every sink carries, and the checks that a consumer makes on it.
//
// Wire format, 32 bytes of header, little endian, then a body:
//   0 u32 magic "TLG1"   4 u16 size_bytes (header + body)   6 u16 thread
//   8 u64 sequence (per thread, from 0)   16 u64 emit_ns (run clock)   24 u32 run   28 u32 checksum
// The checksum covers bytes 0..27. The body is the same fixed pattern of printable letters for
// every event, so that a consumer verifies it by comparing memory, and the emit path never hashes.
// In the text encoding each header byte becomes two letters, low half first, 'a' + half byte: 64
// printable bytes; the body is the same. size_bytes then counts the text.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace tailgate {

static_assert(std::endian::native == std::endian::little, "the event header is little endian");

enum class EventEncoding : std::uint8_t { binary, text };

inline constexpr std::uint32_t kEventMagic = 0x31474C54;  // "TLG1"
inline constexpr std::size_t kBinaryHeaderBytes = 32;
inline constexpr std::size_t kTextHeaderBytes = 64;
inline constexpr std::size_t kMaxEventBytes = 60 * 1024;

// The smallest event that the encoding can hold.
constexpr std::size_t min_event_bytes(EventEncoding encoding) {
  return encoding == EventEncoding::binary ? kBinaryHeaderBytes : kTextHeaderBytes;
}

struct EventStamp {
  std::uint32_t run;
  std::uint16_t thread;
  std::uint16_t size_bytes;
  std::uint64_t sequence;
  std::uint64_t emit_ns;
  friend bool operator==(const EventStamp&, const EventStamp&) = default;
};

namespace event_detail {

inline std::uint32_t header_checksum(std::uint64_t word0, std::uint64_t sequence,
                                     std::uint64_t emit_ns, std::uint32_t run) {
  // Multiply-and-fold; any odd constants with well spread bits do (these are the fractional digits
  // of the golden ratio, sqrt 2 and sqrt 3). The time comes last: the rest is ready before it.
  std::uint64_t hash = (word0 ^ run) * 0x9E3779B97F4A7C15ull;
  hash ^= (sequence + (hash >> 29)) * 0x6A09E667F3BCC909ull;
  hash ^= (emit_ns + (hash >> 31)) * 0xBB67AE8584CAA73Bull;
  return static_cast<std::uint32_t>(hash >> 32) ^ static_cast<std::uint32_t>(hash);
}

// 8 letters for 4 bytes, low half byte first.
inline std::uint64_t letters(std::uint32_t value) {
  std::uint64_t spread = value;
  spread = (spread | spread << 16) & 0x0000FFFF0000FFFFull;
  spread = (spread | spread << 8) & 0x00FF00FF00FF00FFull;
  spread = (spread | spread << 4) & 0x0F0F0F0F0F0F0F0Full;
  return spread + 0x6161616161616161ull;
}

}  // namespace event_detail

// Writes the header at the front of event; the body must already hold the pattern (prepare_event).
// Allocates nothing, branches on nothing but the encoding.
inline void stamp_event(std::byte* event, EventEncoding encoding, const EventStamp& stamp) {
  std::uint64_t words[4];
  words[0] =
      kEventMagic | std::uint64_t{stamp.size_bytes} << 32 | std::uint64_t{stamp.thread} << 48;
  words[1] = stamp.sequence;
  words[2] = stamp.emit_ns;
  words[3] = stamp.run | std::uint64_t{event_detail::header_checksum(words[0], stamp.sequence,
                                                                     stamp.emit_ns, stamp.run)}
                             << 32;
  if (encoding == EventEncoding::binary) {
    std::memcpy(event, words, sizeof words);
    return;
  }
  std::uint64_t text[8];
  for (int i = 0; i < 4; ++i) {
    text[2 * i] = event_detail::letters(static_cast<std::uint32_t>(words[i]));
    text[2 * i + 1] = event_detail::letters(static_cast<std::uint32_t>(words[i] >> 32));
  }
  std::memcpy(event, text, sizeof text);
}

// A buffer of size_bytes (at least min_event_bytes, at most kMaxEventBytes) whose body holds the
// pattern; one buffer serves for all events of that size and for every smaller one.
std::vector<std::byte> prepare_event(EventEncoding encoding, std::size_t size_bytes);

enum class EventCheck : std::uint8_t {
  intact,
  too_short,     // fewer bytes than a header
  not_an_event,  // no magic: someone else's bytes
  bad_checksum,  // the header was changed on the way
  wrong_size,    // the header's size is not the number of bytes that came
  bad_body,      // the body differs from the pattern
};

// Checks the bytes of one whole event and reads its stamp. stamp is valid for intact, wrong_size
// and bad_body only. Any bytes are safe.
EventCheck check_event(std::span<const std::byte> event, EventEncoding encoding, EventStamp& stamp);

// For consumers of unframed streams: the size that the header at the front of bytes announces, or
// 0 when the bytes do not begin with an intact header.
std::size_t announced_size_bytes(std::span<const std::byte> bytes, EventEncoding encoding);

}  // namespace tailgate
