#include "providers/lttng/ctf_packet.h"

namespace tailgate {
namespace {

template <class Number>
Number number_at(std::span<const std::byte> bytes, std::size_t at) {
  Number value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

}  // namespace

std::optional<CtfPacket> read_ctf_packet(const CtfLayout& layout,
                                         std::span<const std::byte> bytes) {
  if (bytes.size() < layout.events_at) return std::nullopt;
  const std::uint64_t content_bits = number_at<std::uint64_t>(bytes, layout.content_size_at);
  const std::uint64_t packet_bits = number_at<std::uint64_t>(bytes, layout.packet_size_at);
  const bool ours =
      number_at<std::uint32_t>(bytes, layout.magic_at) == kCtfPacketMagic &&
      std::memcmp(bytes.data() + layout.uuid_at, layout.uuid.data(), layout.uuid.size()) == 0 &&
      number_at<std::uint32_t>(bytes, layout.stream_id_at) == layout.stream_id;
  const bool possible = content_bits % 8 == 0 && packet_bits % 8 == 0 &&
                        content_bits / 8 >= layout.events_at && content_bits <= packet_bits &&
                        packet_bits / 8 <= kMaxCtfPacketBytes;
  if (!ours || !possible) return std::nullopt;
  return CtfPacket{
      .timestamp_begin = number_at<std::uint64_t>(bytes, layout.timestamp_begin_at),
      .timestamp_end = number_at<std::uint64_t>(bytes, layout.timestamp_end_at),
      .content_bytes = static_cast<std::size_t>(content_bits / 8),
      .packet_bytes = static_cast<std::size_t>(packet_bits / 8),
      .sequence = number_at<std::uint64_t>(bytes, layout.sequence_at),
      .discarded = number_at<std::uint64_t>(bytes, layout.discarded_at),
      .cpu = number_at<std::uint32_t>(bytes, layout.cpu_at),
  };
}

}  // namespace tailgate
