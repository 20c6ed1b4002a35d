// Takes packets of an LTTng-UST data stream apart, along a layout that has been verified.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "providers/lttng/ctf_layout.h"

namespace tailgate {

inline constexpr std::uint32_t kCtfPacketMagic = 0xC1FC1FC1;

// The largest packet that is believed: LTTng's sub-buffers stay well below.
inline constexpr std::uint64_t kMaxCtfPacketBytes = std::uint64_t{1} << 30;

struct CtfPacket {
  std::uint64_t timestamp_begin = 0;  // clock ticks
  std::uint64_t timestamp_end = 0;
  std::size_t content_bytes = 0;  // with the header; the rest up to packet_bytes is padding
  std::size_t packet_bytes = 0;
  std::uint64_t sequence = 0;   // of the packet, in its stream
  std::uint64_t discarded = 0;  // events, in this stream, up to the packet's end
  std::uint32_t cpu = 0;
};

// The header at the front of bytes, of which there must be layout.events_at at least. Nothing when
// it is not one of this trace: other magic number, uuid or stream, or impossible sizes.
std::optional<CtfPacket> read_ctf_packet(const CtfLayout& layout, std::span<const std::byte> bytes);

struct CtfEvent {
  std::uint64_t timestamp = 0;  // clock ticks
  std::span<const std::byte> payload;
};

// Walks over the events of one whole packet.
class CtfEvents {
 public:
  // bytes begin with the packet's first byte and hold at least packet.content_bytes.
  CtfEvents(const CtfLayout& layout, const CtfPacket& packet, std::span<const std::byte> bytes)
      : layout_(layout),
        at_(bytes.data() + layout.events_at),
        end_(bytes.data() + packet.content_bytes),
        timestamp_(packet.timestamp_begin),
        id_mask_((1u << layout.id_bits) - 1),
        timestamp_mask_((std::uint64_t{1} << layout.timestamp_bits) - 1) {}

  // The next event, false at the end or where the bytes are not an event: left_bytes() tells which.
  bool next(CtfEvent& event) {
    // The smallest header and length are 8 bytes: less is no event.
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

  // Bytes of the content that no event has been taken from.
  std::size_t left_bytes() const { return static_cast<std::size_t>(end_ - at_); }

 private:
  // The first time at or after the last one whose low bits are these: the tracer writes the full
  // time where more than one wrap would lie between two events.
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
