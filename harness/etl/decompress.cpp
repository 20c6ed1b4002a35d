#include "harness/etl/decompress.h"

#include <bit>

#include "harness/etl/match_copy.h"

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

// LZNT1 consists of chunks of up to 4096 bytes of output: a u16 header (bits 0-11: size of the
// chunk with its header, minus 3; bit 15: compressed), then groups of a flag byte and eight items.
// A match has 16 bits for distance and length; how they are split depends on the position in the
// chunk.
namespace {

constexpr std::size_t kLznt1ChunkBytes = 4096;
// A stop bit above the last flag: counting zeros ends there at the latest.
constexpr unsigned kFlagsEnd = 0x100;
constexpr unsigned kNoFlags = 1;
// Up to these distances from the ends, items are decoded without checking each read: a flag byte,
// eight literals (which may write as many bytes of output) and a short match.
constexpr std::ptrdiff_t kUncheckedInputBytes = 16;
constexpr std::ptrdiff_t kUncheckedOutputBytes = 48;

struct Lznt1State {
  const std::uint8_t* in;
  const std::uint8_t* const in_end;
  std::uint8_t* to;
  std::uint8_t* const chunk;
  std::uint8_t* const end;  // limit of the chunk's output
  unsigned flags = kNoFlags;
  // A match's length has length_bits bits up to this position in the chunk, and one bit less after
  // each doubling of the position.
  unsigned length_bits = 12;
  std::size_t length_bits_end = 16;
};

// Reads a match and copies it. With `slack`, kUncheckedOutputBytes of output may be overwritten.
// False when the match starts before the chunk or ends after it. The caller has checked that its
// two bytes are in the input.
template <bool slack>
inline bool take_lznt1_match(Lznt1State& s) {
  unsigned match = load<std::uint16_t>(s.in);
  s.in += 2;
  auto position = static_cast<std::size_t>(s.to - s.chunk);
  while (position > s.length_bits_end) {
    --s.length_bits;
    s.length_bits_end *= 2;
  }
  std::size_t distance = (match >> s.length_bits) + 1;
  std::size_t length = (match & ((1u << s.length_bits) - 1)) + 3;
  if (distance > position) return false;
  if (slack && length <= kShortMatchBytes) {
    copy_short_match(s.to, distance, length);
  } else if (!copy_match(s.to, distance, length, s.end)) {
    return false;
  }
  s.to += length;
  return true;
}

bool decode_unchecked(Lznt1State& state) {
  if (state.in_end - state.in < kUncheckedInputBytes) return true;
  if (state.end - state.to < kUncheckedOutputBytes) return true;
  // Local copies: otherwise every step would access memory.
  Lznt1State s = state;
  const std::uint8_t* const in_safe = s.in_end - kUncheckedInputBytes;
  const std::uint8_t* const to_safe = s.end - kUncheckedOutputBytes;
  while (s.in <= in_safe && s.to <= to_safe) {
    if (s.flags == kNoFlags) s.flags = *s.in++ | kFlagsEnd;
    auto literals = static_cast<unsigned>(std::countr_zero(s.flags));
    std::memcpy(s.to, s.in, 8);
    s.to += literals;
    s.in += literals;
    s.flags >>= literals;
    if (s.flags == kNoFlags) continue;
    s.flags >>= 1;
    if (!take_lznt1_match<true>(s)) return false;
  }
  state.in = s.in;
  state.to = s.to;
  state.flags = s.flags;
  state.length_bits = s.length_bits;
  state.length_bits_end = s.length_bits_end;
  return true;
}

// Decodes the rest of a chunk, with every read checked.
bool decode_checked(Lznt1State& s) {
  while (s.in < s.in_end && s.to < s.end) {
    if (s.flags == kNoFlags) {
      s.flags = *s.in++ | kFlagsEnd;
      continue;
    }
    bool match = (s.flags & 1) != 0;
    s.flags >>= 1;
    if (!match) {
      *s.to++ = *s.in++;
    } else if (s.in_end - s.in < 2 || !take_lznt1_match<false>(s)) {
      return false;
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
    std::uint8_t* end = to + (room < kLznt1ChunkBytes ? room : kLznt1ChunkBytes);
    if (header & 0x8000) {
      Lznt1State state{.in = chunk.data(),
                       .in_end = chunk.data() + chunk.size(),
                       .to = to,
                       .chunk = to,
                       .end = end};
      if (!decode_unchecked(state) || !decode_checked(state)) return false;
      to = state.to;
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
