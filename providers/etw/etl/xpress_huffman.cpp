// LZ77+Huffman of [MS-XCA] 2.1 and 2.2: blocks of 64 KB of output, each with 512 code lengths of 4
// bits, then a bit stream read in 16-bit words. Symbols below 256 are literals; the others hold a
// match's length (low 4 bits, 15: continued in bytes) and the number of its distance's bits.
#include <array>

#include "providers/etw/etl/decompress.h"
#include "providers/etw/etl/match_copy.h"

namespace tailgate::etl {
namespace {

constexpr unsigned kSymbols = 512;
constexpr unsigned kMaxCodeBits = 15;
constexpr std::size_t kTableBytes = kSymbols / 2;
constexpr std::size_t kBlockBytes = 65536;

// Canonical decoding: for each code length, the first code of that length (left aligned to 15
// bits) and where its symbols start. Small enough to build for every block.
struct HuffmanTable {
  std::array<std::uint16_t, 1u << kMaxCodeBits> symbol_and_bits;

  // False when the lengths do not describe a complete prefix code. A symbol takes 9 bits of an
  // entry, its code length 4.
  bool build(const std::uint8_t* lengths) {
    std::size_t at = 0;
    for (unsigned bits = 1; bits <= kMaxCodeBits; ++bits) {
      std::size_t span = std::size_t{1} << (kMaxCodeBits - bits);
      for (unsigned symbol = 0; symbol < kSymbols; ++symbol) {
        unsigned length = (lengths[symbol / 2] >> ((symbol & 1) * 4)) & 15u;
        if (length != bits) continue;
        if (at + span > symbol_and_bits.size()) return false;
        auto entry = static_cast<std::uint16_t>(symbol << 4 | bits);
        std::fill_n(symbol_and_bits.begin() + static_cast<std::ptrdiff_t>(at), span, entry);
        at += span;
      }
    }
    return at == symbol_and_bits.size();
  }
};

// The bit stream: 32 bits looked ahead, refilled by 16, and byte-sized extras read from between
// the words, as the format has it.
class BitInput {
 public:
  BitInput(const std::uint8_t* at, const std::uint8_t* end) : at_(at), end_(end) {}

  bool start() {
    if (end_ - at_ < 4) return false;
    next_ =
        static_cast<std::uint32_t>(load<std::uint16_t>(at_)) << 16 | load<std::uint16_t>(at_ + 2);
    at_ += 4;
    extra_ = 16;
    return true;
  }

  unsigned peek(unsigned bits) const { return bits == 0 ? 0 : next_ >> (32 - bits); }

  // Past the end of the input zeros follow: the last symbols need fewer bits than a full
  // look-ahead.
  void skip(unsigned bits) {
    next_ = bits == 32 ? 0 : next_ << bits;
    extra_ -= static_cast<int>(bits);
    if (extra_ < 0) {
      if (end_ - at_ >= 2) {
        next_ |= static_cast<std::uint32_t>(load<std::uint16_t>(at_)) << -extra_;
        at_ += 2;
      } else {
        ++words_missing_;
      }
      extra_ += 16;
    }
  }

  template <typename T>
  bool take(T& value) {
    if (end_ - at_ < static_cast<std::ptrdiff_t>(sizeof(T))) return false;
    value = load<T>(at_);
    at_ += sizeof(T);
    return true;
  }

  // Whether symbols were read from bits that the input does not have.
  bool exhausted() const { return words_missing_ > 2; }
  const std::uint8_t* position() const { return at_; }

 private:
  const std::uint8_t* at_;
  const std::uint8_t* end_;
  std::uint32_t next_ = 0;
  int extra_ = 0;
  int words_missing_ = 0;
};

bool read_length(BitInput& bits, std::size_t& length) {
  if (length != 15) return true;
  std::uint8_t byte;
  if (!bits.take(byte)) return false;
  length = byte + 15u;
  if (byte != 255) return true;
  std::uint16_t word;
  if (!bits.take(word)) return false;
  length = word;
  if (word == 0) {
    std::uint32_t wide;
    if (!bits.take(wide)) return false;
    length = wide;
  }
  return length >= 15;
}

bool decompress_block(BitInput& bits, const HuffmanTable& table, const std::uint8_t* start,
                      std::uint8_t*& to, const std::uint8_t* block_end, const std::uint8_t* end) {
  while (to < block_end) {
    unsigned entry = table.symbol_and_bits[bits.peek(kMaxCodeBits)];
    bits.skip(entry & 15);
    if (bits.exhausted()) return false;
    unsigned symbol = entry >> 4;
    if (symbol < 256) {
      *to++ = static_cast<std::uint8_t>(symbol);
      continue;
    }
    symbol -= 256;
    std::size_t length = symbol & 15;
    unsigned distance_bits = symbol >> 4;
    if (!read_length(bits, length)) return false;
    std::size_t distance = (std::size_t{1} << distance_bits) + bits.peek(distance_bits);
    bits.skip(distance_bits);
    length += 3;
    if (distance > static_cast<std::size_t>(to - start) ||
        length > static_cast<std::size_t>(end - to)) {
      return false;
    }
    copy_match(to, distance, length, end);
    to += length;
  }
  return true;
}

}  // namespace

bool decompress_xpress_huffman(Bytes in, std::span<std::uint8_t> out) {
  std::uint8_t* to = out.data();
  const std::uint8_t* const start = to;
  const std::uint8_t* const end = start + out.size();
  HuffmanTable table;
  while (to < end) {
    if (in.size() < kTableBytes || !table.build(in.data())) return false;
    BitInput bits(in.data() + kTableBytes, in.data() + in.size());
    if (!bits.start()) return false;
    const std::uint8_t* block_end =
        static_cast<std::size_t>(end - to) > kBlockBytes ? to + kBlockBytes : end;
    if (!decompress_block(bits, table, start, to, block_end, end)) return false;
    in = in.subspan(static_cast<std::size_t>(bits.position() - in.data()));
  }
  return true;
}

}  // namespace tailgate::etl
