#include "providers/etw/etl/decompress.h"

#include "providers/etw/etl/match_copy.h"

namespace tailgate::etl {

bool decompress(CompressionFormat format, Bytes in, std::span<std::uint8_t> out) {
  switch (format) {
    case CompressionFormat::lznt1:
      return decompress_lznt1(in, out);
    case CompressionFormat::xpress:
      return decompress_xpress(in, out);
    case CompressionFormat::xpress_huffman:
      return decompress_xpress_huffman(in, out);
    case CompressionFormat::none:
      break;
  }
  return false;
}

// Chunks of up to 4096 bytes: u16 header (bits 0-11 size - 3 of the chunk with its header, bit 15
// compressed), then groups of a flag byte and eight items. The split of a match's 16 bits between
// distance and length moves with the position inside the chunk.
namespace {

constexpr std::size_t kLznt1ChunkBytes = 4096;

bool decompress_lznt1_chunk(Bytes in, std::uint8_t* chunk, const std::uint8_t* end,
                            std::uint8_t*& to) {
  const std::uint8_t* from = in.data();
  const std::uint8_t* in_end = from + in.size();
  while (from < in_end && to < end) {
    unsigned flags = *from++;
    for (int item = 0; item < 8 && from < in_end && to < end; ++item, flags >>= 1) {
      if (!(flags & 1)) {
        *to++ = *from++;
        continue;
      }
      if (in_end - from < 2) return false;
      unsigned match = load<std::uint16_t>(from);
      from += 2;
      auto position = static_cast<std::size_t>(to - chunk);
      if (position == 0) return false;
      unsigned length_bits = 12;
      for (std::size_t i = position - 1; i >= 0x10; i >>= 1) --length_bits;
      std::size_t distance = (match >> length_bits) + 1;
      std::size_t length = (match & ((1u << length_bits) - 1)) + 3;
      if (distance > position || length > static_cast<std::size_t>(end - to)) return false;
      copy_match(to, distance, length, end);
      to += length;
    }
  }
  return true;
}

}  // namespace

bool decompress_lznt1(Bytes in, std::span<std::uint8_t> out) {
  std::uint8_t* to = out.data();
  std::uint8_t* const out_end = to + out.size();
  while (to < out_end) {
    if (in.size() < 2) return false;
    unsigned header = load<std::uint16_t>(in.data());
    std::size_t chunk_bytes = (header & 0xFFF) + 1u;
    if (header == 0 || chunk_bytes > in.size() - 2) return false;
    Bytes chunk = in.subspan(2, chunk_bytes);
    in = in.subspan(2 + chunk_bytes);
    auto room = static_cast<std::size_t>(out_end - to);
    std::uint8_t* start = to;
    std::uint8_t* end = to + (room < kLznt1ChunkBytes ? room : kLznt1ChunkBytes);
    if (header & 0x8000) {
      if (!decompress_lznt1_chunk(chunk, start, end, to)) return false;
    } else {
      if (chunk.size() > static_cast<std::size_t>(end - to)) return false;
      std::memcpy(to, chunk.data(), chunk.size());
      to += chunk.size();
    }
    // Only the last chunk may be short.
    if (to != end) return false;
  }
  return true;
}

}  // namespace tailgate::etl
