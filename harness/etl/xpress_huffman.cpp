// LZ77+Huffman of [MS-XCA] 2.1 and 2.2. A block is 64 KB of output: 512 code lengths of 4 bits,
// then a bit stream in 16-bit words. Symbols below 256 are literals. The others contain a match's
// length (low 4 bits; 15: continued in bytes) and the number of bits of its distance.
#include <algorithm>
#include <array>
#include <bit>

#include "harness/etl/decompress.h"
#include "harness/etl/match_copy.h"

namespace tailgate::etl {
namespace {

constexpr unsigned kSymbols = 512;
constexpr unsigned kMaxCodeBits = 15;
constexpr std::size_t kCodeSpace = std::size_t{1} << kMaxCodeBits;
constexpr std::size_t kTableBytes = kSymbols / 2;
constexpr std::size_t kHuffmanBlockBytes = 65536;
// Codes up to this length are in the direct table.
constexpr unsigned kDirectBits = 11;
// In a match's symbol: the length is in bytes after the code.
constexpr unsigned kLongLength = 15;
constexpr unsigned kMinMatch = 3;

// The symbol of a code, in a form that needs no branch. A literal is encoded like a match of one
// byte. Its distance is taken from the bits after its code, which are not consumed.
class HuffmanSymbol {
 public:
  HuffmanSymbol() = default;
  HuffmanSymbol(unsigned symbol, unsigned code_bits) {
    bool literal = symbol < 256;
    unsigned distance_bits = literal ? 0 : (symbol - 256) >> 4;
    unsigned length = literal ? 1 : (symbol & 15) + kMinMatch;
    bool long_length = length == kLongLength + kMinMatch;
    std::uint64_t distance_mask = literal ? kLiteralDistanceMask : (1u << distance_bits) - 1;
    packed_ = distance_mask << 48 | (literal ? kLiteral : 0) | (long_length ? kSpecial : 0) |
              code_bits << 24 | (literal ? symbol : 0) << 16 | length << 8 |
              (code_bits + distance_bits);
  }
  // The direct table's entry for every code that is too long for the table.
  static HuffmanSymbol long_code() {
    HuffmanSymbol symbol;
    symbol.packed_ = kSpecial;
    return symbol;
  }

  // A literal's distance is at least 16 and less than this.
  static constexpr std::ptrdiff_t kLiteralDistanceEnd = 32;

  // The code is too long for the direct table, or the match's length follows its code.
  bool is_special() const { return (packed_ & kSpecial) != 0; }
  bool is_long_code() const { return packed_ == kSpecial; }
  bool is_literal() const { return (packed_ & kLiteral) != 0; }
  std::uint8_t literal() const { return static_cast<std::uint8_t>(packed_ >> 16); }
  // Bytes of output; 1 for a literal. Not valid for a match whose length follows its code.
  unsigned length() const { return static_cast<std::uint8_t>(packed_ >> 8); }
  // Bits of the code and of the distance together.
  unsigned total_bits() const { return static_cast<std::uint8_t>(packed_); }
  // The same as a shift count. x86 uses only 6 bits of a count, so the packed word serves unmasked.
  unsigned shift() const { return static_cast<unsigned>(packed_) & 63; }
  unsigned code_bits() const { return (packed_ >> 24) & 15; }
  unsigned distance_bits() const { return total_bits() - code_bits(); }
  // Mask of the distance's bits below the leading one.
  std::uint64_t distance_mask() const { return packed_ >> 48; }

 private:
  static constexpr std::uint64_t kLiteralDistanceMask = 15;
  static constexpr std::uint64_t kSpecial = 0x10000000;
  static constexpr std::uint64_t kLiteral = 0x20000000;
  // All in one word, because separate loads take longer. What every symbol needs is at the ends,
  // where it takes the fewest instructions.
  std::uint64_t packed_;
};

// Decodes canonical codes. They ascend with their length, so the codes that are too long for the
// direct table are at the end of the space of 15-bit codes; they have a table of their own.
class CodeTable {
 public:
  // Returns false when the lengths are not those of a complete prefix code.
  bool build(const std::uint8_t* packed_lengths) {
    std::array<std::uint8_t, kSymbols> lengths;
    CountByLength count{};
    // Neighbours often have the same length. Even and odd ones have separate counters, so that an
    // increment does not wait for the one before.
    CountByLength odd_count{};
    for (std::size_t i = 0; i < kTableBytes; ++i) {
      std::uint8_t even = packed_lengths[i] & 15;
      std::uint8_t odd = packed_lengths[i] >> 4;
      lengths[2 * i] = even;
      lengths[2 * i + 1] = odd;
      ++count[even];
      ++odd_count[odd];
    }
    for (std::size_t i = 0; i < count.size(); ++i) count[i] += odd_count[i];
    // Sorts the symbols by their codes; symbols of the same length follow each other.
    CountByLength next{};
    std::size_t symbols = 0;
    std::size_t space = 0;
    for (unsigned bits = 1; bits <= kMaxCodeBits; ++bits) {
      next[bits] = symbols;
      symbols += count[bits];
      space += count[bits] << (kMaxCodeBits - bits);
    }
    if (space != kCodeSpace) return false;
    // Symbols without a code come last.
    next[0] = symbols;
    std::array<std::uint16_t, kSymbols> by_code;
    for (std::size_t symbol = 0; symbol < kSymbols; ++symbol) {
      by_code[next[lengths[symbol]]++] = static_cast<std::uint16_t>(symbol);
    }
    fill(count, by_code);
    return true;
  }

  // The symbol of the code at the upper end of `bits`, or long_code().
  HuffmanSymbol look_up(std::uint64_t bits) const { return direct_[bits >> (64 - kDirectBits)]; }
  // The symbol of a long code at the upper end of `bits`.
  HuffmanSymbol look_up_long(std::uint64_t bits) const {
    return long_[(bits >> (64 - kMaxCodeBits)) - first_long_];
  }

 private:
  using CountByLength = std::array<std::size_t, kMaxCodeBits + 1>;

  void fill(const CountByLength& count, const std::array<std::uint16_t, kSymbols>& by_code) {
    const std::uint16_t* symbol = by_code.data();
    HuffmanSymbol* to = direct_.data();
    for (unsigned bits = 1; bits <= kDirectBits; ++bits) {
      for (std::size_t i = 0; i < count[bits]; ++i) {
        to =
            std::fill_n(to, std::size_t{1} << (kDirectBits - bits), HuffmanSymbol(*symbol++, bits));
      }
    }
    first_long_ = static_cast<std::size_t>(to - direct_.data()) << (kMaxCodeBits - kDirectBits);
    std::fill(to, direct_.data() + direct_.size(), HuffmanSymbol::long_code());
    to = long_.data();
    for (unsigned bits = kDirectBits + 1; bits <= kMaxCodeBits; ++bits) {
      for (std::size_t i = 0; i < count[bits]; ++i) {
        to = std::fill_n(to, std::size_t{1} << (kMaxCodeBits - bits),
                         HuffmanSymbol(*symbol++, bits));
      }
    }
  }

  // The most entries that codes of 12 and more bits need.
  static constexpr std::size_t kMaxLong = kSymbols << (kMaxCodeBits - kDirectBits - 1);

  std::array<HuffmanSymbol, 1u << kDirectBits> direct_;
  std::array<HuffmanSymbol, kMaxLong> long_;
  std::size_t first_long_;
};

// The bit stream consists of 16-bit words, first bit highest. Bytes of long lengths lie between the
// words: such a byte follows the word up to which the format's decoder has read ahead, which holds
// 16 to 31 bits at any time. This class reads further ahead and gives words back before it takes a
// byte.
class BitInput {
 public:
  BitInput(const std::uint8_t* at, const std::uint8_t* end) : at_(at), end_(end) {}

  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
  const std::uint8_t* position() const { return at_; }
  const std::uint8_t* end() const { return end_; }

  // The next bits, highest first; as many as the last refill guarantees are valid.
  std::uint64_t peek() const { return bits_; }

  // A match's distance, whose bits end before bit `end`: a leading one, and as many bits as its
  // symbol says.
  std::size_t distance(HuffmanSymbol symbol, unsigned end) const {
    std::uint64_t lowest = std::rotl(bits_, static_cast<int>(end));
    return (lowest & symbol.distance_mask()) + symbol.distance_mask() + 1;
  }

  void skip(unsigned count) {
    bits_ <<= count;
    held_ -= static_cast<int>(count);
  }

  // Skips the symbol's code and distance.
  void skip(HuffmanSymbol symbol) {
    bits_ <<= symbol.shift();
    held_ -= static_cast<int>(symbol.total_bits());
  }

  // Whether more bits were skipped than the input had.
  bool exhausted() const { return held_ < 0; }

  // Refills to at least 48 bits. The input must have 8 bytes left.
  void refill_unchecked() {
    // Loads four words, the first one highest.
    std::uint64_t loaded = std::uint64_t{std::rotl(load<std::uint32_t>(at_), 16)} << 32 |
                           std::rotl(load<std::uint32_t>(at_ + 4), 16);
    bits_ |= loaded >> held_;
    // Advances by the whole words that fit until 48 bits are held; there is room for 63.
    at_ += (~static_cast<unsigned>(held_) >> 3) & 6;
    held_ |= 48;
  }

  // The same, with zeros after the end of the input; held_ counts only real bits.
  void refill_checked() {
    if (left() >= 8) return refill_unchecked();
    drop_unheld();
    while (held_ < 48 && left() >= 2) {
      bits_ |= std::uint64_t{load<std::uint16_t>(at_)} << (48 - held_);
      at_ += 2;
      held_ += 16;
    }
  }

  // Gives back the words that the format's decoder would not have read yet; position() is then that
  // of the next byte. At least 16 bits must be held.
  void give_back_unchecked() {
    at_ -= 2 * ((held_ >> 4) - 1);
    held_ = 16 + (held_ & 15);
    drop_unheld();
  }

  // The same; gives nothing back when fewer bits are held.
  void give_back() {
    if (held_ >= 16) return give_back_unchecked();
    drop_unheld();
  }

  // Takes a value from the bytes. The caller has checked that they are in the input.
  template <typename T>
  T take() {
    T value = load<T>(at_);
    at_ += sizeof(T);
    return value;
  }

 private:
  // Clears the bits below the held ones: they may belong to the next word, which may not follow
  // now.
  void drop_unheld() { bits_ = held_ > 0 ? bits_ & (~std::uint64_t{0} << (64 - held_)) : 0; }

  const std::uint8_t* at_;
  const std::uint8_t* end_;
  std::uint64_t bits_ = 0;  // the next bits, highest first
  int held_ = 0;            // number of valid bits; below 64
};

// The length in the bytes after the code. 0 when it is invalid or, with `checked`, when the input
// ends.
template <bool checked>
std::size_t take_long_length(BitInput& bits) {
  if (checked && bits.left() < 1) return 0;
  std::size_t length = bits.take<std::uint8_t>();
  if (length < 255) return length + kLongLength + kMinMatch;
  if (checked && bits.left() < 2) return 0;
  length = bits.take<std::uint16_t>();
  if (length == 0) {
    if (checked && bits.left() < 4) return 0;
    length = bits.take<std::uint32_t>();
  }
  return length < kLongLength ? 0 : length + kMinMatch;
}

struct HuffmanOutput {
  std::uint8_t* to;
  const std::uint8_t* const start;
  const std::uint8_t* const block_end;  // no symbol of the block begins at or after it
  const std::uint8_t* const end;

  std::size_t written() const { return static_cast<std::size_t>(to - start); }

  // Copies a match. False when it starts before the output, ends after it, or has no length.
  bool copy(std::size_t distance, std::size_t length) {
    if (distance > written() || length == 0) return false;
    if (!copy_match(to, distance, length, end)) return false;
    to += length;
    return true;
  }
};

// Up to these distances from the ends, symbols are decoded without checking each read and write:
// two refills with the longest form of a length between them; a literal or a match copied with
// slack.
constexpr std::size_t kHuffmanUncheckedInputBytes = 24;
constexpr std::ptrdiff_t kHuffmanUncheckedOutputBytes = 32;

// Copies a literal, or a match of at most 24 bytes whose distance is inside the output. In both
// cases it may write that many bytes.
inline void copy_item(std::uint8_t* to, HuffmanSymbol symbol, std::size_t distance,
                      std::size_t length) {
  if (distance < 8) return detail::repeat_pattern(to, distance, length);
  const std::uint8_t* from = to - distance;
  auto first = load<std::uint64_t>(from);
  first = symbol.is_literal() ? symbol.literal() : first;
  std::memcpy(to, &first, 8);
  std::memcpy(to + 8, from + 8, 8);
  if (length > 16) [[unlikely]]
    std::memcpy(to + 16, from + 16, 8);
}

// Takes a match whose length follows its code. Returns the length, or 0 when it is invalid.
inline std::size_t take_long_match(BitInput& bits, HuffmanSymbol symbol, std::size_t& distance) {
  bits.skip(symbol.code_bits());
  bits.give_back_unchecked();
  std::size_t length = take_long_length<false>(bits);
  distance = bits.distance(symbol, symbol.distance_bits());
  bits.refill_unchecked();
  bits.skip(symbol.distance_bits());
  return length;
}

// Decodes until the block's output or the input is nearly at its end. False when it is damaged.
bool decode_unchecked(BitInput& input, const CodeTable& table, HuffmanOutput& output) {
  if (output.block_end - output.to < kHuffmanUncheckedOutputBytes) return true;
  if (input.left() < kHuffmanUncheckedInputBytes) return true;
  // Local copies: otherwise every step would access memory.
  BitInput bits = input;
  HuffmanOutput out = output;
  const std::uint8_t* const in_safe = bits.end() - kHuffmanUncheckedInputBytes;
  const std::uint8_t* const to_safe = out.block_end - kHuffmanUncheckedOutputBytes;
  bits.refill_unchecked();
  HuffmanSymbol symbol = table.look_up(bits.peek());
  while (out.to <= to_safe && bits.position() <= in_safe) {
    // A symbol takes up to 30 of the 48 bits. The next symbol is looked up before the refill, so
    // that it does not wait for the refill.
    bits.refill_unchecked();
    if (symbol.is_special()) {
      if (symbol.is_long_code()) symbol = table.look_up_long(bits.peek());
      if (symbol.is_special()) {
        std::size_t distance;
        std::size_t length = take_long_match(bits, symbol, distance);
        symbol = table.look_up(bits.peek());
        if (!out.copy(distance, length)) return false;
        continue;
      }
    }
    // Literals and matches take the same path, because which one comes is unpredictable.
    std::size_t distance = bits.distance(symbol, symbol.total_bits());
    // The subtraction wraps when the distance is too large; that saves the compiler a comparison.
    std::size_t written = out.written();
    if (written - distance > written) return false;
    bits.skip(symbol);
    // Looked up before the copy, which then does not delay it.
    HuffmanSymbol next = table.look_up(bits.peek());
    copy_item(out.to, symbol, distance, symbol.length());
    out.to += symbol.length();
    symbol = next;
  }
  input = bits;
  output.to = out.to;
  return true;
}

// Decodes up to `limit`, which is within the block. False when the input is damaged or ends before.
bool decode_checked(BitInput& bits, const CodeTable& table, HuffmanOutput& out,
                    const std::uint8_t* limit) {
  while (out.to < limit) {
    bits.refill_checked();
    HuffmanSymbol symbol = table.look_up(bits.peek());
    if (symbol.is_long_code()) symbol = table.look_up_long(bits.peek());
    if (symbol.is_literal()) {
      bits.skip(symbol);
      if (bits.exhausted()) return false;
      *out.to++ = symbol.literal();
      continue;
    }
    bits.skip(symbol.code_bits());
    if (bits.exhausted()) return false;
    std::size_t length = symbol.length();
    if (symbol.is_special()) {
      bits.give_back();
      length = take_long_length<true>(bits);
      bits.refill_checked();
    }
    std::size_t distance = bits.distance(symbol, symbol.distance_bits());
    bits.skip(symbol.distance_bits());
    if (bits.exhausted() || !out.copy(distance, length)) return false;
  }
  return true;
}

// Decodes a block. False when the input is damaged.
bool decode_block(BitInput& bits, const CodeTable& table, HuffmanOutput& out) {
  // A literal's distance must be inside the output, although nothing is copied from there.
  const std::uint8_t* first =
      out.start + std::min(HuffmanSymbol::kLiteralDistanceEnd, out.block_end - out.start);
  return decode_checked(bits, table, out, first) && decode_unchecked(bits, table, out) &&
         decode_checked(bits, table, out, out.block_end);
}

}  // namespace

// Aligned to a line of the instruction cache: the position of the loop within a line made a
// difference of 1.5 %.
[[gnu::aligned(64)]] bool decompress_xpress_huffman(Bytes in, std::span<std::uint8_t> out) {
  std::uint8_t* to = out.data();
  const std::uint8_t* const end = to + out.size();
  CodeTable table;
  while (to < end) {
    if (in.size() < kTableBytes || !table.build(in.data())) return false;
    BitInput bits(in.data() + kTableBytes, in.data() + in.size());
    const std::uint8_t* block_end =
        static_cast<std::size_t>(end - to) > kHuffmanBlockBytes ? to + kHuffmanBlockBytes : end;
    HuffmanOutput output{.to = to, .start = out.data(), .block_end = block_end, .end = end};
    if (!decode_block(bits, table, output)) return false;
    to = output.to;
    // The next block begins where the format's decoder has read ahead to.
    bits.give_back();
    in = in.subspan(static_cast<std::size_t>(bits.position() - in.data()));
  }
  return true;
}

}  // namespace tailgate::etl
