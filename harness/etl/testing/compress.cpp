#include "harness/etl/testing/compress.h"

#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>

namespace tailgate::etl {
namespace {

struct Item {
  std::size_t distance = 0;  // 0: a literal
  std::size_t length = 1;
};

// Finds matches greedily with a table of the last position of each three bytes.
class Matcher {
 public:
  Matcher(Bytes data, std::size_t max_distance) : data_(data), max_distance_(max_distance) {
    last_.fill(SIZE_MAX);
  }

  // The longest match found at `at`, of at most max_length bytes and at most max_distance away.
  Item find(std::size_t at, std::size_t max_length, std::size_t max_distance) {
    Item item;
    max_length = std::min(max_length, data_.size() - at);
    if (max_length < 3) return item;
    std::size_t& last = last_[hash(at)];
    std::size_t from = last;
    last = at;
    if (from == SIZE_MAX || at - from > std::min(max_distance, max_distance_)) return item;
    std::size_t length = 0;
    while (length < max_length && data_[from + length] == data_[at + length]) ++length;
    if (length >= 3) item = {at - from, length};
    return item;
  }

 private:
  std::size_t hash(std::size_t at) const {
    std::uint32_t key = data_[at] + 256u * data_[at + 1] + 65536u * data_[at + 2];
    return (key * 2654435761u) >> 18;
  }

  Bytes data_;
  std::size_t max_distance_;
  std::array<std::size_t, 1u << 14> last_;
};

void put16(std::vector<std::uint8_t>& out, std::size_t value) {
  out.push_back(static_cast<std::uint8_t>(value));
  out.push_back(static_cast<std::uint8_t>(value >> 8));
}

void put32(std::vector<std::uint8_t>& out, std::size_t value) {
  put16(out, value);
  put16(out, value >> 16);
}

// Writes the lengths of plain LZ77 matches that do not fit into 3 bits.
class XpressLengths {
 public:
  explicit XpressLengths(std::vector<std::uint8_t>& out) : out_(out) {}

  void put(std::size_t length) {
    std::size_t rest = length - 7;
    auto nibble = static_cast<std::uint8_t>(std::min<std::size_t>(rest, 15));
    if (half_used_ == SIZE_MAX) {
      half_used_ = out_.size();
      out_.push_back(nibble);
    } else {
      out_[half_used_] = static_cast<std::uint8_t>(out_[half_used_] | nibble << 4);
      half_used_ = SIZE_MAX;
    }
    if (nibble < 15) return;
    rest -= 15;
    if (rest < 255) {
      out_.push_back(static_cast<std::uint8_t>(rest));
      return;
    }
    out_.push_back(255);
    if (length <= 0xFFFF) {
      put16(out_, length);
    } else {
      put16(out_, 0);
      put32(out_, length);
    }
  }

 private:
  std::vector<std::uint8_t>& out_;
  std::size_t half_used_ = SIZE_MAX;
};

std::vector<std::uint8_t> compress_xpress(Bytes data) {
  std::vector<std::uint8_t> out;
  Matcher matcher(data, 8192);
  XpressLengths lengths(out);
  std::size_t flags_at = 0;
  std::uint32_t flags = 0;
  unsigned used = 32;
  auto store_flags = [&] {
    for (unsigned i = 0; i < 4; ++i) {
      out[flags_at + i] = static_cast<std::uint8_t>(flags >> (8 * i));
    }
  };
  for (std::size_t at = 0; at < data.size();) {
    if (used == 32) {
      if (at > 0) store_flags();
      flags_at = out.size();
      put32(out, 0);
      flags = 0;
      used = 0;
    }
    Item item = matcher.find(at, SIZE_MAX, SIZE_MAX);
    flags <<= 1;
    if (item.distance == 0) {
      out.push_back(data[at]);
    } else {
      flags |= 1;
      std::size_t length = item.length - 3;
      put16(out, (item.distance - 1) << 3 | std::min<std::size_t>(length, 7));
      if (length >= 7) lengths.put(length);
    }
    ++used;
    at += item.length;
  }
  // The unused flags are ones: a match without input is the end.
  if (used < 32) flags = flags << (32 - used) | ((1u << (32 - used)) - 1);
  if (!data.empty()) store_flags();
  return out;
}

std::vector<std::uint8_t> compress_lznt1_chunk(Bytes chunk) {
  std::vector<std::uint8_t> out;
  Matcher matcher(chunk, 4096);
  std::size_t flags_at = 0;
  unsigned used = 8;
  for (std::size_t at = 0; at < chunk.size();) {
    if (used == 8) {
      flags_at = out.size();
      out.push_back(0);
      used = 0;
    }
    unsigned length_bits = 12;
    for (std::size_t i = at > 0 ? at - 1 : 0; i >= 0x10; i >>= 1) --length_bits;
    Item item =
        matcher.find(at, (std::size_t{1} << length_bits) + 2, std::size_t{1} << (16 - length_bits));
    if (item.distance == 0) {
      out.push_back(chunk[at]);
    } else {
      out[flags_at] = static_cast<std::uint8_t>(out[flags_at] | 1u << used);
      put16(out, (item.distance - 1) << length_bits | (item.length - 3));
    }
    ++used;
    at += item.length;
  }
  return out;
}

std::vector<std::uint8_t> compress_lznt1(Bytes data) {
  std::vector<std::uint8_t> out;
  while (!data.empty()) {
    Bytes chunk = data.first(std::min<std::size_t>(4096, data.size()));
    data = data.subspan(chunk.size());
    std::vector<std::uint8_t> packed = compress_lznt1_chunk(chunk);
    bool worth_it = packed.size() < chunk.size();
    std::size_t size = worth_it ? packed.size() : chunk.size();
    put16(out, (size - 1) | 0x3000 | (worth_it ? 0x8000 : 0));
    if (worth_it) {
      out.insert(out.end(), packed.begin(), packed.end());
    } else {
      out.insert(out.end(), chunk.begin(), chunk.end());
    }
  }
  return out;
}

// Writes the bit stream in the reader's order: it reserves a word in the output when the reader
// will load that word, and puts bytes where the reader will look for them.
class BitOutput {
 public:
  explicit BitOutput(std::vector<std::uint8_t>& out) : out_(out) {
    reserve();
    reserve();
  }

  void put(std::uint32_t value, unsigned bits) {
    for (unsigned i = bits; i > 0; --i) {
      bits_.push_back((value >> (i - 1) & 1) != 0);
    }
    while (bits_.size() > 16 * (words_.size() - 1)) reserve();
  }

  void finish() {
    for (std::size_t i = 0; i < bits_.size(); ++i) {
      if (!bits_[i]) continue;
      std::size_t at = words_[i / 16] + (i % 16 < 8 ? 1 : 0);
      out_[at] = static_cast<std::uint8_t>(out_[at] | 0x80u >> (i % 8));
    }
  }

 private:
  void reserve() {
    words_.push_back(out_.size());
    put16(out_, 0);
  }

  std::vector<std::uint8_t>& out_;
  std::vector<std::size_t> words_;
  std::vector<bool> bits_;
};

struct Code {
  unsigned bits = 0;
  std::uint32_t code = 0;
};

// A complete prefix code whose lengths are all equal or one less, so no tree has to be built.
std::array<Code, 512> flat_code(const std::array<bool, 512>& used_symbols) {
  std::array<bool, 512> used = used_symbols;
  std::size_t count = static_cast<std::size_t>(std::count(used.begin(), used.end(), true));
  for (std::size_t i = 0; count < 2; ++i) {
    if (!used[i]) {
      used[i] = true;
      ++count;
    }
  }
  auto long_bits = static_cast<unsigned>(std::bit_width(count - 1));
  std::size_t shorter = (std::size_t{1} << long_bits) - count;
  std::array<Code, 512> codes{};
  std::uint32_t next = 0;
  std::size_t given = 0;
  for (unsigned bits : {long_bits - 1, long_bits}) {
    for (std::size_t symbol = 0; symbol < 512; ++symbol) {
      if (!used[symbol] || codes[symbol].bits != 0) continue;
      if (bits < long_bits && given == shorter) break;
      codes[symbol] = {bits, next >> (15 - bits)};
      next += 1u << (15 - bits);
      ++given;
    }
  }
  return codes;
}

unsigned symbol_of(const Item& item, std::uint8_t literal) {
  if (item.distance == 0) return literal;
  auto distance_bits = static_cast<unsigned>(std::bit_width(item.distance) - 1);
  return 256 + 16 * distance_bits +
         static_cast<unsigned>(std::min<std::size_t>(item.length - 3, 15));
}

void put_huffman_item(const Item& item, std::uint8_t literal, const std::array<Code, 512>& codes,
                      BitOutput& bits, std::vector<std::uint8_t>& out) {
  const Code& code = codes[symbol_of(item, literal)];
  bits.put(code.code, code.bits);
  if (item.distance == 0) return;
  std::size_t length = item.length - 3;
  if (length >= 15) {
    if (length - 15 < 255) {
      out.push_back(static_cast<std::uint8_t>(length - 15));
    } else {
      out.push_back(255);
      put16(out, length <= 0xFFFF ? length : 0);
      if (length > 0xFFFF) put32(out, length);
    }
  }
  auto distance_bits = static_cast<unsigned>(std::bit_width(item.distance) - 1);
  bits.put(static_cast<std::uint32_t>(item.distance) & ((1u << distance_bits) - 1), distance_bits);
}

std::vector<std::uint8_t> compress_xpress_huffman(Bytes data) {
  constexpr std::size_t kBlock = 65536;
  std::vector<std::uint8_t> out;
  Matcher matcher(data, 65535);
  for (std::size_t begin = 0; begin < data.size(); begin += kBlock) {
    std::size_t end = std::min(begin + kBlock, data.size());
    std::vector<std::pair<Item, std::uint8_t>> items;
    std::array<bool, 512> used{};
    for (std::size_t at = begin; at < end;) {
      Item item = matcher.find(at, end - at, SIZE_MAX);
      items.emplace_back(item, data[at]);
      used[symbol_of(item, data[at])] = true;
      at += item.length;
    }
    if (end == data.size()) used[256] = true;  // end of data
    std::array<Code, 512> codes = flat_code(used);
    for (std::size_t i = 0; i < 512; i += 2) {
      out.push_back(static_cast<std::uint8_t>(codes[i].bits | codes[i + 1].bits << 4));
    }
    BitOutput bits(out);
    for (const auto& [item, literal] : items) put_huffman_item(item, literal, codes, bits, out);
    if (end == data.size()) bits.put(codes[256].code, codes[256].bits);
    bits.finish();
  }
  return out;
}

}  // namespace

std::vector<std::uint8_t> compress(CompressionFormat format, Bytes data) {
  switch (format) {
    case CompressionFormat::lznt1:
      return compress_lznt1(data);
    case CompressionFormat::xpress:
      return compress_xpress(data);
    case CompressionFormat::xpress_huffman:
      return compress_xpress_huffman(data);
    case CompressionFormat::none:
      break;
  }
  throw std::logic_error("no such compression");
}

}  // namespace tailgate::etl
