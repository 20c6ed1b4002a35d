// LZ77+Huffman of [MS-XCA] 2.1 and 2.2: blocks of 64 KB of output, each with 512 code lengths of 4
// bits, then a bit stream read in 16-bit words. Symbols below 256 are literals; the others hold a
// match's length (low 4 bits, 15: continued in bytes) and the number of its distance's bits.
#include <algorithm>
#include <array>
#include <bit>

#include "providers/etw/etl/decompress.h"
#include "providers/etw/etl/match_copy.h"

namespace tailgate::etl {
namespace {

constexpr unsigned kSymbols = 512;
constexpr unsigned kMaxCodeBits = 15;
constexpr std::size_t kCodeSpace = std::size_t{1} << kMaxCodeBits;
constexpr std::size_t kTableBytes = kSymbols / 2;
constexpr std::size_t kBlockBytes = 65536;

// What a code stands for, ready for use.
class Symbol {
 public:
  Symbol() = default;
  Symbol(unsigned symbol, unsigned code_bits) {
    if (symbol < 256) {
      packed_ = kLiteral | symbol << 16 | code_bits << 8 | code_bits;
    } else {
      unsigned distance_bits = (symbol - 256) >> 4;
      packed_ =
          distance_bits << 20 | (symbol & 15) << 16 | code_bits << 8 | (code_bits + distance_bits);
    }
  }
  bool is_literal() const { return (packed_ & kLiteral) != 0; }
  std::uint8_t literal() const { return static_cast<std::uint8_t>(packed_ >> 16); }
  // Of the match, less 3; kLongLength: bytes behind the code hold it.
  unsigned length() const { return (packed_ >> 16) & 15; }
  unsigned distance_bits() const { return (packed_ >> 20) & 15; }
  unsigned code_bits() const { return (packed_ >> 8) & 15; }
  // Code and distance.
  unsigned total_bits() const { return packed_ & 63; }

 private:
  static constexpr std::uint32_t kLiteral = 0x8000'0000;
  std::uint32_t packed_ = 0;
};

constexpr unsigned kLongLength = 15;

// Canonical codes rise with their length, so those too long for the direct table lie behind all
// others in the space of 15-bit codes, and have a table of their own there.
class CodeTable {
 public:
  // False when the lengths do not describe a complete prefix code.
  bool build(const std::uint8_t* packed_lengths) {
    std::array<std::uint8_t, kSymbols> lengths;
    std::array<std::size_t, kMaxCodeBits + 1> count{};
    for (std::size_t i = 0; i < kSymbols; ++i) {
      lengths[i] = (packed_lengths[i / 2] >> (4 * (i & 1))) & 15;
      ++count[lengths[i]];
    }
    std::array<std::size_t, kMaxCodeBits + 1> next{};
    std::size_t at = 0;
    for (unsigned bits = 1; bits <= kMaxCodeBits; ++bits) {
      if (bits == kDirectBits + 1) first_long_ = static_cast<unsigned>(at);
      next[bits] = at;
      at += count[bits] << (kMaxCodeBits - bits);
    }
    if (at != kCodeSpace) return false;
    for (unsigned symbol = 0; symbol < kSymbols; ++symbol) {
      unsigned bits = lengths[symbol];
      if (bits == 0) continue;
      std::size_t span = std::size_t{1} << (kMaxCodeBits - bits);
      Symbol* entries = bits <= kDirectBits ? &direct_[next[bits] >> kUnusedBits]
                                            : &long_[next[bits] - first_long_];
      std::fill_n(entries, bits <= kDirectBits ? span >> kUnusedBits : span, Symbol(symbol, bits));
      next[bits] += span;
    }
    return true;
  }

  // The symbol that the upper 15 bits of `code` begin with.
  Symbol look_up(unsigned code) const {
    return code < first_long_ ? direct_[code >> kUnusedBits] : long_[code - first_long_];
  }

 private:
  static constexpr unsigned kDirectBits = 11;
  static constexpr unsigned kUnusedBits = kMaxCodeBits - kDirectBits;
  // The most that codes of 12 and more bits can take of the space.
  static constexpr std::size_t kMaxLong = kSymbols << (kMaxCodeBits - kDirectBits - 1);

  std::array<Symbol, 1u << kDirectBits> direct_;
  std::array<Symbol, kMaxLong> long_;
  unsigned first_long_ = 0;
};

// The bit stream: words of 16 bits, first bit highest, with bytes of long lengths between them. As
// the format has it, such a byte follows the word that is looked ahead to when the decoder gets to
// it: at any time between 16 and 31 bits are. More are held here, and given back for such a byte.
class BitInput {
 public:
  BitInput(const std::uint8_t* at, const std::uint8_t* end) : at_(at), end_(end) {}

  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
  const std::uint8_t* position() const { return at_; }

  // The upper 15 bits.
  unsigned code() const { return static_cast<unsigned>(bits_ >> (64 - kMaxCodeBits)); }

  // 2^count plus the next `count` bits behind the first `skipped`.
  std::size_t distance(unsigned skipped, unsigned count) const {
    std::uint64_t with_leading_one = std::uint64_t{1} << 63 | (bits_ << skipped) >> 1;
    return static_cast<std::size_t>(with_leading_one >> (63 - count));
  }

  void skip(unsigned count) {
    bits_ <<= count;
    held_ -= static_cast<int>(count);
  }

  // Whether more bits were skipped than there were.
  bool exhausted() const { return held_ < 0; }

  // Holds at least 48 bits afterwards. 8 bytes must be left.
  void refill_unchecked() {
    auto loaded = load<std::uint64_t>(at_);
    // Four words, the first one highest.
    constexpr std::uint64_t kEvenWords = 0x0000'FFFF'0000'FFFF;
    loaded = std::rotl(loaded, 32);
    loaded = (loaded & kEvenWords) << 16 | ((loaded >> 16) & kEvenWords);
    bits_ |= loaded >> held_;
    int words = (63 - held_) >> 4;
    at_ += 2 * words;
    held_ += 16 * words;
  }

  // The same, with zeros behind the end of the input; held_ counts only what was there.
  void refill_checked() {
    drop_unheld();
    while (held_ < 48 && left() >= 2) {
      bits_ |= std::uint64_t{load<std::uint16_t>(at_)} << (48 - held_);
      at_ += 2;
      held_ += 16;
    }
  }

  // Gives back the words that are further ahead than the format looks, so that position() is that
  // of the next byte. At least one bit must have been skipped since the start.
  void give_back() {
    int ahead = 16 + (held_ & 15);
    if (held_ > ahead) {
      at_ -= (held_ - ahead) / 8;
      held_ = ahead;
    }
    drop_unheld();
  }

  // The caller has checked that the bytes are there.
  template <typename T>
  T take() {
    T value = load<T>(at_);
    at_ += sizeof(T);
    return value;
  }

 private:
  // Bits below those held may be those of the next word, which need not be what follows now.
  void drop_unheld() { bits_ = held_ > 0 ? bits_ & (~std::uint64_t{0} << (64 - held_)) : 0; }

  const std::uint8_t* at_;
  const std::uint8_t* end_;
  std::uint64_t bits_ = 0;  // the next ones, highest first
  int held_ = 0;            // how many are sure; below 64
};

// The length (less 3) that bytes behind the code hold. False when the input ends or the length
// makes no sense.
bool take_long_length(BitInput& bits, std::size_t& length) {
  bits.give_back();
  if (bits.left() < 1) return false;
  length = kLongLength + std::size_t{bits.take<std::uint8_t>()};
  if (length < kLongLength + 255) return true;
  if (bits.left() < 2) return false;
  length = bits.take<std::uint16_t>();
  if (length > 0) return length >= kLongLength;
  if (bits.left() < 4) return false;
  length = bits.take<std::uint32_t>();
  return length >= kLongLength;
}

struct Output {
  std::uint8_t* to;
  const std::uint8_t* const start;
  const std::uint8_t* const block_end;  // no symbol of the block begins behind it
  const std::uint8_t* const end;

  // length: less 3. False when the match starts before the output or ends behind it.
  bool copy(std::size_t distance, std::size_t length) {
    length += 3;
    if (distance > static_cast<std::size_t>(to - start)) return false;
    if (!copy_match(to, distance, length, end)) return false;
    to += length;
    return true;
  }
};

// How far from the ends symbols are decoded without checking each read and write: two literals; two
// refills around the longest form of a length.
constexpr std::size_t kUncheckedInputBytes = 32;
constexpr std::ptrdiff_t kUncheckedOutputBytes = 2;

// Decodes until the block's output or the input is nearly at its end. False when it is damaged.
bool decode_unchecked(BitInput& input, const CodeTable& table, Output& output) {
  if (output.block_end - output.to < kUncheckedOutputBytes) return true;
  // Locals, or every step would go through memory.
  BitInput bits = input;
  Output out = output;
  const std::uint8_t* const to_safe = out.block_end - kUncheckedOutputBytes;
  while (out.to <= to_safe && bits.left() >= kUncheckedInputBytes) {
    // Of the 48 bits a literal takes up to 15, and a match up to 30.
    bits.refill_unchecked();
    Symbol symbol = table.look_up(bits.code());
    if (symbol.is_literal()) {
      *out.to++ = symbol.literal();
      bits.skip(symbol.code_bits());
      symbol = table.look_up(bits.code());
      if (symbol.is_literal()) {
        *out.to++ = symbol.literal();
        bits.skip(symbol.code_bits());
        continue;
      }
    }
    std::size_t length = symbol.length();
    if (length < kLongLength) {
      std::size_t distance = bits.distance(symbol.code_bits(), symbol.distance_bits());
      bits.skip(symbol.total_bits());
      if (!out.copy(distance, length)) return false;
      continue;
    }
    bits.skip(symbol.code_bits());
    bits.give_back();
    length += bits.take<std::uint8_t>();
    if (length == kLongLength + 255) {
      length = bits.take<std::uint16_t>();
      if (length == 0) length = bits.take<std::uint32_t>();
      if (length < kLongLength) return false;
    }
    bits.refill_unchecked();
    std::size_t distance = bits.distance(0, symbol.distance_bits());
    bits.skip(symbol.distance_bits());
    if (!out.copy(distance, length)) return false;
  }
  input = bits;
  output.to = out.to;
  return true;
}

// Decodes what is left of the block.
bool decode_checked(BitInput& bits, const CodeTable& table, Output& out) {
  while (out.to < out.block_end) {
    bits.refill_checked();
    Symbol symbol = table.look_up(bits.code());
    bits.skip(symbol.code_bits());
    if (bits.exhausted()) return false;
    if (symbol.is_literal()) {
      *out.to++ = symbol.literal();
      continue;
    }
    std::size_t length = symbol.length();
    if (length == kLongLength) {
      if (!take_long_length(bits, length)) return false;
      bits.refill_checked();
    }
    std::size_t distance = bits.distance(0, symbol.distance_bits());
    bits.skip(symbol.distance_bits());
    if (bits.exhausted() || !out.copy(distance, length)) return false;
  }
  return true;
}

}  // namespace

bool decompress_xpress_huffman(Bytes in, std::span<std::uint8_t> out) {
  std::uint8_t* to = out.data();
  const std::uint8_t* const end = to + out.size();
  CodeTable table;
  while (to < end) {
    if (in.size() < kTableBytes || !table.build(in.data())) return false;
    BitInput bits(in.data() + kTableBytes, in.data() + in.size());
    const std::uint8_t* block_end =
        static_cast<std::size_t>(end - to) > kBlockBytes ? to + kBlockBytes : end;
    Output output{.to = to, .start = out.data(), .block_end = block_end, .end = end};
    if (!decode_unchecked(bits, table, output) || !decode_checked(bits, table, output)) {
      return false;
    }
    to = output.to;
    // The next block begins where the format's own look-ahead ends.
    bits.give_back();
    in = in.subspan(static_cast<std::size_t>(bits.position() - in.data()));
  }
  return true;
}

}  // namespace tailgate::etl
