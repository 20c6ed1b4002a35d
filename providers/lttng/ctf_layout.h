// The layout of the packets in an LTTng-UST trace with tailgate's one event, computed from the
// trace's metadata. Any deviation from this layout is an error: the reader does not guess.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tailgate {

// The event that providers/lttng writes: a length and a sequence of that many bytes.
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
  std::size_t sequence_at = 0;         // u64, packet_seq_num: number of packets before this one in
                                       // the stream
  std::size_t discarded_at = 0;        // u64, events discarded in the stream so far
  std::size_t cpu_at = 0;              // u32
  std::size_t events_at = 0;           // the first event's header

  // An event's header: id and timestamp packed into short_header_bytes, low bits first. If the id
  // is extended_id, the short timestamp is unused: a u32 id and a u64 timestamp follow at
  // extended_at, and the event's fields begin extended_header_bytes after the header's start.
  std::uint32_t id_bits = 0;
  std::uint32_t timestamp_bits = 0;
  std::uint32_t extended_id = 0;
  std::size_t short_header_bytes = 0;
  std::size_t extended_at = 0;
  std::size_t extended_header_bytes = 0;

  std::uint32_t event_id = 0;  // id of kCtfEventName; its fields: u32 length, length bytes

  std::string clock_name;  // the clock of the timestamps, as the tracer names it
  std::uint64_t clock_hz = 0;
};

// Returns the text of the metadata stream without its packet headers, or the file itself if it is
// plain text. Leaves out what follows the last whole packet: it is still being written. Throws
// Error.
std::string ctf_metadata_text(std::span<const std::byte> file);

// Returns the layout, or nothing when the text does not declare the event yet. Throws Error when
// the text is not TSDL or its layout is not the one above.
std::optional<CtfLayout> read_ctf_layout(std::string_view text);

}  // namespace tailgate
