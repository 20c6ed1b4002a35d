// Parses packets of an LTTng-UST data stream along a verified layout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "providers/lttng/ctf_layout.h"

namespace tailgate {

inline constexpr std::uint32_t kCtfPacketMagic = 0xC1FC1FC1;

// A header with a larger packet size is taken as damage: LTTng's sub-buffers stay well below.
inline constexpr std::uint64_t kMaxCtfPacketBytes = std::uint64_t{1} << 30;

struct CtfPacket {
  std::uint64_t timestamp_begin = 0;  // clock ticks
  std::uint64_t timestamp_end = 0;
  std::size_t content_bytes = 0;  // including the header; from there to packet_bytes is padding
  std::size_t packet_bytes = 0;
  std::uint64_t sequence = 0;   // of the packet within its stream
  std::uint64_t discarded = 0;  // events discarded in this stream up to the packet's end
  std::uint32_t cpu = 0;
};

// Parses the packet header at the front of `bytes`, which are at least layout.events_at long.
// Returns nothing when it does not belong to this trace: another magic number, uuid or stream, or
// impossible sizes.
std::optional<CtfPacket> read_ctf_packet(const CtfLayout& layout, std::span<const std::byte> bytes);

struct CtfEvent {
  std::uint64_t timestamp = 0;  // clock ticks
  std::span<const std::byte> payload;
};

// Iterates over the events of one whole packet.
class CtfEvents {
 public:
  // `bytes` start at the packet's first byte and are at least packet.content_bytes long.
  CtfEvents(const CtfLayout& layout, const CtfPacket& packet, std::span<const std::byte> bytes)
      : layout_(layout),
        at_(bytes.data() + layout.events_at),
        end_(bytes.data() + packet.content_bytes),
        timestamp_(packet.timestamp_begin),
        id_mask_((1u << layout.id_bits) - 1),
        timestamp_mask_((std::uint64_t{1} << layout.timestamp_bits) - 1) {}

  // Reads the next event. Returns false at the end and where the bytes are not an event:
  // left_bytes() tells which.
  bool next(CtfEvent& event) {
    // The smallest header and its length field take 8 bytes; less cannot be an event.
    std::uint64_t header;
    if (left_bytes() < sizeof header) return false;
    std::memcpy(&header, at_, sizeof header);
    const auto id = static_cast<std::uint32_t>(header) & id_mask_;
    if (id == layout_.extended_id) [[unlikely]]
      return next_extended(event);
    if (id != layout_.event_id) [[unlikely]]
      return false;
    const std::uint64_t low = header >> layout_.id_bits & timestamp_mask_;
    return take(event, layout_.short_header_bytes, later_timestamp(low));
  }

  // Bytes of the content that were not read as events.
  std::size_t left_bytes() const { return static_cast<std::size_t>(end_ - at_); }

 private:
  // The first time at or after the previous event's whose low bits are `low`. That is the event's
  // time: the tracer writes the full time when more than one wrap would lie between two events.
  std::uint64_t later_timestamp(std::uint64_t low) const {
    std::uint64_t timestamp = (timestamp_ & ~timestamp_mask_) | low;
    if (timestamp < timestamp_) timestamp += timestamp_mask_ + 1;
    return timestamp;
  }

  bool next_extended(CtfEvent& event) {
    if (left_bytes() < layout_.extended_header_bytes) return false;
    std::uint32_t id;
    std::uint64_t timestamp;
    std::memcpy(&id, at_ + layout_.extended_at, sizeof id);
    std::memcpy(&timestamp, at_ + layout_.extended_at + sizeof id, sizeof timestamp);
    if (id != layout_.event_id) return false;
    return take(event, layout_.extended_header_bytes, timestamp);
  }

  bool take(CtfEvent& event, std::size_t header_bytes, std::uint64_t timestamp) {
    std::uint32_t length;
    if (left_bytes() < header_bytes + sizeof length) return false;
    std::memcpy(&length, at_ + header_bytes, sizeof length);
    const std::size_t before = header_bytes + sizeof length;
    if (left_bytes() - before < length) return false;
    event.timestamp = timestamp;
    event.payload = {at_ + before, length};
    timestamp_ = timestamp;
    at_ += before + length;
    return true;
  }

  const CtfLayout& layout_;
  const std::byte* at_;
  const std::byte* end_;
  std::uint64_t timestamp_;
  std::uint32_t id_mask_;
  std::uint64_t timestamp_mask_;
};

}  // namespace tailgate
