// The event that is sent through every sink, and the checks that a consumer makes on it.
//
// Wire format, 32 bytes of header, little endian, then a body:
//   0 u32 magic "TLG1"   4 u16 size_bytes (header + body)   6 u16 thread
//   8 u64 sequence (per thread, from 0)   16 u64 emit_ns (run clock)   24 u32 run   28 u32 checksum
// The checksum covers bytes 0..27. The body is the same pattern of printable letters for every
// event. So a consumer checks it by comparing memory, and the emit path does not hash it. The text
// encoding writes each header byte as two letters, low half first, each 'a' + half byte, which
// makes 64 printable bytes; the body is the same. size_bytes then counts the bytes of the text.
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

// The size of the smallest event of an encoding.
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

// A multiply-and-fold hash of the header fields that are known before the call. Any odd constants
// with well distributed bits serve; these are the fractional digits of the golden ratio and of sqrt
// 2.
inline std::uint64_t hash_before_time(std::uint64_t word0, std::uint64_t sequence,
                                      std::uint32_t run) {
  std::uint64_t hash = (word0 ^ run) * 0x9E3779B97F4A7C15ull;
  hash ^= (sequence + (hash >> 29)) * 0x6A09E667F3BCC909ull;
  return hash ^ hash >> 32;
}

// Only folds the time in, because the emit path has to wait for this step.
inline std::uint32_t checksum_with_time(std::uint64_t hash, std::uint64_t emit_ns) {
  return static_cast<std::uint32_t>(hash ^ emit_ns ^ emit_ns >> 32);
}

// Encodes 4 bytes as 8 letters, low half byte first.
inline std::uint64_t letters(std::uint32_t value) {
  std::uint64_t spread = value;
  spread = (spread | spread << 16) & 0x0000FFFF0000FFFFull;
  spread = (spread | spread << 8) & 0x00FF00FF00FF00FFull;
  spread = (spread | spread << 4) & 0x0F0F0F0F0F0F0F0Full;
  return spread + 0x6161616161616161ull;
}

}  // namespace event_detail

// Writes an event's header in two steps: the constructor writes all fields but the time, before the
// timed call; put_time() writes the time. The event's body must already contain the pattern
// (prepare_event). Allocates nothing, and branches only on the encoding.
template <EventEncoding kEncoding>
class HeaderWriter {
 public:
  // event: at least min_event_bytes long; it must outlive the writer. Ignores stamp.emit_ns.
  HeaderWriter(std::byte* event, const EventStamp& stamp) : event_(event), run_(stamp.run) {
    const std::uint64_t word0 =
        kEventMagic | std::uint64_t{stamp.size_bytes} << 32 | std::uint64_t{stamp.thread} << 48;
    put_word(0, word0);
    put_word(1, stamp.sequence);
    hash_ = event_detail::hash_before_time(word0, stamp.sequence, stamp.run);
  }

  void put_time(std::uint64_t emit_ns) {
    put_word(2, emit_ns);
    put_word(3, run_ | std::uint64_t{event_detail::checksum_with_time(hash_, emit_ns)} << 32);
  }

 private:
  // Writes eight bytes at a time. If the words were collected in an array and copied, the compiler
  // would read them back in pairs before their stores have left the store buffer, which stalls the
  // emit path.
  void put_word(std::size_t index, std::uint64_t word) {
    if constexpr (kEncoding == EventEncoding::binary) {
      put(8 * index, word);
    } else {
      put(16 * index, event_detail::letters(static_cast<std::uint32_t>(word)));
      put(16 * index + 8, event_detail::letters(static_cast<std::uint32_t>(word >> 32)));
    }
  }
  void put(std::size_t offset, std::uint64_t bytes) {
    std::memcpy(event_ + offset, &bytes, sizeof bytes);
  }

  std::byte* event_;
  std::uint64_t run_;
  std::uint64_t hash_;
};

// Writes the whole header at once.
inline void stamp_event(std::byte* event, EventEncoding encoding, const EventStamp& stamp) {
  if (encoding == EventEncoding::binary) {
    HeaderWriter<EventEncoding::binary>(event, stamp).put_time(stamp.emit_ns);
  } else {
    HeaderWriter<EventEncoding::text>(event, stamp).put_time(stamp.emit_ns);
  }
}

// Returns a buffer of size_bytes (limited to min_event_bytes … kMaxEventBytes) whose body contains
// the pattern. One buffer can be used for all events of that size or smaller.
std::vector<std::byte> prepare_event(EventEncoding encoding, std::size_t size_bytes);

enum class EventCheck : std::uint8_t {
  intact,
  too_short,     // fewer bytes than a header
  not_an_event,  // no magic: not an event of tailgate's
  bad_checksum,  // the header was changed in transit
  wrong_size,    // the header's size differs from the number of bytes received
  bad_body,      // the body differs from the pattern
};

// Checks the bytes of one event and reads its stamp, which is valid only for intact, wrong_size and
// bad_body. Accepts any bytes.
EventCheck check_event(std::span<const std::byte> event, EventEncoding encoding, EventStamp& stamp);

// For consumers of unframed streams. Returns the size that the header at the start of `bytes`
// announces, or 0 if there is no intact header.
std::size_t announced_size_bytes(std::span<const std::byte> bytes, EventEncoding encoding);

}  // namespace tailgate
