// Plain LZ77 of [MS-XCA] 2.3 and 2.4. A 32-bit word of flags, used from bit 31 down, is followed by
// one item per flag. 0: a literal byte. 1: a match of 16 bits, with distance - 1 in the upper 13
// and length - 3 in the lower 3 bits; longer lengths continue in nibbles, bytes and words.
#include <algorithm>
#include <bit>

#include "harness/etl/decompress.h"
#include "harness/etl/match_copy.h"

namespace tailgate::etl {
namespace {

// A stop bit above the last flag. The remaining flags are in the lower bits of a 64-bit word, the
// next one lowest, so that counting zeros ends at the stop bit at the latest. They are counted from
// below because x86's instruction for that waits for its operand only. The instruction that counts
// from above also waits for the old value of its result's register, here a match's bytes.
constexpr std::uint64_t kXpressFlagsEnd = std::uint64_t{1} << 32;
constexpr std::uint64_t kXpressNoFlags = 1;

// Reads the next 32 flags and reverses them: in the format the first flag is the highest bit.
inline std::uint64_t read_flags(const std::uint8_t* in) {
  auto word = load<std::uint32_t>(in);
  word = (word & 0x5555'5555) << 1 | ((word >> 1) & 0x5555'5555);
  word = (word & 0x3333'3333) << 2 | ((word >> 2) & 0x3333'3333);
  word = (word & 0x0F0F'0F0F) << 4 | ((word >> 4) & 0x0F0F'0F0F);
  word = (word & 0x00FF'00FF) << 8 | ((word >> 8) & 0x00FF'00FF);
  return kXpressFlagsEnd | std::rotl(word, 16);
}

// State shared by the decoding with and without checks of every read.
struct XpressState {
  const std::uint8_t* in;
  const std::uint8_t* in_end;
  unsigned nibble = 0;      // the upper nibble of a byte whose lower nibble is used
  unsigned has_nibble = 0;  // 0 or 1
  std::uint64_t flags = kXpressNoFlags;
  std::uint8_t* to;
  std::uint8_t* const start;
  std::uint8_t* const end;

  std::size_t in_left() const { return static_cast<std::size_t>(in_end - in); }
  std::size_t room() const { return static_cast<std::size_t>(end - to); }
};

// Up to these distances from the ends of input and output, items are decoded without checking each
// read: 32 literals, then a match with the longest form of its length.
constexpr std::size_t kXpressUncheckedInputBytes = 48;
constexpr std::size_t kXpressUncheckedOutputBytes = 96;

// The length after a nibble of 15: a byte, a word, or two words. 0 when it is invalid or, with
// `checked`, when the input ends.
template <bool checked>
std::size_t read_long_length(const std::uint8_t*& in, const std::uint8_t* in_end) {
  auto has = [&in, in_end](std::ptrdiff_t bytes) { return !checked || in_end - in >= bytes; };
  if (!has(1)) return 0;
  std::size_t length = *in++;
  if (length < 255) return length + 15 + 7 + 3;
  if (!has(2)) return 0;
  length = load<std::uint16_t>(in);
  in += 2;
  if (length == 0) {
    if (!has(4)) return 0;
    length = load<std::uint32_t>(in);
    in += 4;
  }
  return length < 15 + 7 ? 0 : length + 3;
}

// Copies up to 32 literals; may touch 16 bytes of input and 32 of output beyond them.
inline void copy_literals_unchecked(std::uint8_t* to, const std::uint8_t* in, unsigned count) {
  std::memcpy(to, in, 8);
  if (count <= 8) return;
  std::memcpy(to + 8, in + 8, 8);
  std::memcpy(to + 16, in + 16, 16);
}

// Decodes until input or output is nearly at its end. False when the input is damaged.
bool decode_unchecked(XpressState& state) {
  if (state.in_left() < kXpressUncheckedInputBytes || state.room() < kXpressUncheckedOutputBytes)
    return true;
  // Local copies: otherwise every step would access memory.
  XpressState s = state;
  const std::uint8_t* const in_safe = s.in_end - kXpressUncheckedInputBytes;
  const std::uint8_t* const to_safe = s.end - kXpressUncheckedOutputBytes;
  while (s.in <= in_safe && s.to <= to_safe) {
    auto literals = static_cast<unsigned>(std::countr_zero(s.flags));
    copy_literals_unchecked(s.to, s.in, literals);
    s.to += literals;
    s.in += literals;
    s.flags >>= literals;
    if (s.flags == kXpressNoFlags) {
      s.flags = read_flags(s.in);
      s.in += 4;
      continue;
    }
    s.flags >>= 1;
    unsigned match = load<std::uint16_t>(s.in);
    s.in += 2;
    std::size_t length = (match & 7) + 3;
    std::size_t distance = (match >> 3) + 1;
    if (distance > static_cast<std::size_t>(s.to - s.start)) return false;
    if (length == 7 + 3) {
      // Arithmetic instead of a branch: which half it is, is unpredictable.
      unsigned nibbles = s.nibble | (*s.in & (s.has_nibble - 1));
      s.has_nibble ^= 1;
      s.in += s.has_nibble;
      s.nibble = (nibbles >> 4) & (0 - s.has_nibble);
      length += nibbles & 15;
      if ((nibbles & 15) == 15) {
        length = read_long_length<false>(s.in, s.in_end);
        if (!copy_match(s.to, distance, length, s.end) || length == 0) return false;
        s.to += length;
        continue;
      }
    }
    copy_short_match(s.to, distance, length);
    s.to += length;
  }
  state.in = s.in;
  state.nibble = s.nibble;
  state.has_nibble = s.has_nibble;
  state.flags = s.flags;
  state.to = s.to;
  return true;
}

// The part of a match's length that exceeds its 3 bits. 0 when the input ends or the length is
// invalid.
std::size_t read_length_checked(XpressState& s) {
  if (!s.has_nibble) {
    if (s.in_left() < 1) return 0;
    s.nibble = *s.in++;
  }
  unsigned nibble = s.nibble & 15;
  s.nibble >>= 4;
  s.has_nibble ^= 1;
  if (nibble < 15) return nibble + 7 + 3;
  return read_long_length<true>(s.in, s.in_end);
}

// Decodes the rest with every read checked. False when the input is damaged or ends too early.
bool decode_checked(XpressState& s) {
  while (s.to < s.end) {
    auto literals = static_cast<std::size_t>(std::countr_zero(s.flags));
    if (literals > 0) {
      // The output may end within a flag word: the rest of its bits have no meaning.
      literals = std::min(literals, s.room());
      if (literals > s.in_left()) return false;
      std::memcpy(s.to, s.in, literals);
      s.to += literals;
      s.in += literals;
      s.flags >>= literals;
      continue;
    }
    if (s.flags == kXpressNoFlags) {
      if (s.in_left() < 4) return false;
      s.flags = read_flags(s.in);
      s.in += 4;
      continue;
    }
    s.flags >>= 1;
    if (s.in_left() < 2) return false;
    unsigned match = load<std::uint16_t>(s.in);
    s.in += 2;
    std::size_t length = (match & 7) + 3;
    std::size_t distance = (match >> 3) + 1;
    if (length == 7 + 3) length = read_length_checked(s);
    if (distance > static_cast<std::size_t>(s.to - s.start) || length == 0) return false;
    if (!copy_match(s.to, distance, length, s.end)) return false;
    s.to += length;
  }
  return true;
}

}  // namespace

bool decompress_xpress(Bytes input, std::span<std::uint8_t> out) {
  XpressState state{.in = input.data(),
                    .in_end = input.data() + input.size(),
                    .to = out.data(),
                    .start = out.data(),
                    .end = out.data() + out.size()};
  return decode_unchecked(state) && decode_checked(state);
}

}  // namespace tailgate::etl
