#include "harness/etl/buffer.h"

namespace tailgate::etl {

std::optional<BufferHeader> parse_buffer_header(Bytes bytes) {
  if (bytes.size() < kBufferHeaderBytes) return std::nullopt;
  const std::uint8_t* at = bytes.data();
  BufferHeader header;
  header.size_bytes = load<std::uint32_t>(at + 0x00);
  header.flush_time = load<std::int64_t>(at + 0x10);
  header.sequence = load<std::uint64_t>(at + 0x18);
  header.logger_id = load<std::uint16_t>(at + 0x2A);
  header.state = load<std::uint32_t>(at + 0x2C);
  header.filled_bytes = load<std::uint32_t>(at + 0x30);
  header.flags = load<std::uint16_t>(at + 0x34);
  header.type = static_cast<BufferType>(load<std::uint16_t>(at + 0x36));
  header.processor = (header.flags & kProcessorIndexIs16Bit)
                         ? static_cast<std::uint16_t>(load<std::uint16_t>(at + 0x28) & 0x7FF)
                         : at[0x28];
  bool sizes_possible =
      header.size_bytes >= kBufferHeaderBytes && header.size_bytes <= kMaxBufferBytes &&
      header.filled_bytes >= kBufferHeaderBytes && header.filled_bytes <= kMaxBufferBytes &&
      (header.is_compressed() || header.filled_bytes <= header.size_bytes);
  if (!sizes_possible) return std::nullopt;
  return header;
}

}  // namespace tailgate::etl
