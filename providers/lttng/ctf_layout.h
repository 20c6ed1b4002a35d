// Where things lie in the packets of an LTTng-UST trace that holds tailgate's one event, worked out
// from the trace's metadata. Whatever differs from that layout is an error: nothing is guessed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tailgate {

// The event that providers/lttng writes: one sequence of bytes, its length before it.
inline constexpr std::string_view kCtfEventName = "tailgate:event";

struct CtfLayout {
  std::array<std::byte, 16> uuid{};
  std::uint32_t stream_id = 0;

  // Byte offsets from the packet's first byte.
  std::size_t magic_at = 0;            // u32
  std::size_t uuid_at = 0;             // 16 bytes
  std::size_t stream_id_at = 0;        // u32
  std::size_t timestamp_begin_at = 0;  // u64, clock ticks
  std::size_t timestamp_end_at = 0;    // u64, clock ticks
  std::size_t content_size_at = 0;     // u64, bits, header included
  std::size_t packet_size_at = 0;      // u64, bits
  std::size_t sequence_at = 0;         // u64, packet_seq_num: packets of the stream before
  std::size_t discarded_at = 0;        // u64, events discarded in the stream so far
  std::size_t cpu_at = 0;              // u32
  std::size_t events_at = 0;           // the first event's header

  // An event's header: id and timestamp packed into short_header_bytes, low bits first. The id
  // `extended_id` says that a u32 id and a u64 timestamp follow at extended_at, and that the event
  // begins extended_header_bytes on; the short timestamp is then absent.
  std::uint32_t id_bits = 0;
  std::uint32_t timestamp_bits = 0;
  std::uint32_t extended_id = 0;
  std::size_t short_header_bytes = 0;
  std::size_t extended_at = 0;
  std::size_t extended_header_bytes = 0;

  std::uint32_t event_id = 0;  // of kCtfEventName; its fields: u32 length, length bytes

  std::string clock_name;  // which clock the timestamps are of, by the tracer's account
  std::uint64_t clock_hz = 0;
};

// The metadata stream's text, its packet headers taken off, or the file itself where it is plain
// text. What follows the last whole packet is left out: it is still being written. Throws Error.
std::string ctf_metadata_text(std::span<const std::byte> file);

// The layout, or nothing when the text does not yet declare the event. Throws Error where the text
// is not TSDL or the layout is not the one above.
std::optional<CtfLayout> read_ctf_layout(std::string_view text);

}  // namespace tailgate
