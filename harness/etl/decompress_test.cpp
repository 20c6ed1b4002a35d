#include "harness/etl/decompress.h"

#include <catch2/catch.hpp>

#include <random>
#include <string>

#include "harness/etl/testing/compress.h"

using namespace tailgate::etl;

namespace {

std::string text_of(const std::vector<std::uint8_t>& bytes) {
  return {bytes.begin(), bytes.end()};
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

// Data that compresses to literals, short and long matches, and lengths of every encoding.
std::vector<std::uint8_t> varied_data(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::uint8_t> data;
  while (data.size() < size) {
    auto kind = random() % 4;
    if (kind == 0 || data.size() < 16) {
      for (auto i = random() % 40 + 1; i > 0; --i) {
        data.push_back(static_cast<std::uint8_t>(random()));
      }
    } else {
      std::size_t distance = kind == 1 ? random() % 9 + 1 : random() % data.size() + 1;
      std::size_t length = kind == 3 ? random() % 3000 : random() % 60;
      for (; length > 0; --length) data.push_back(data[data.size() - distance]);
    }
  }
  data.resize(size);
  return data;
}

const std::string kLetters = "abcdefghijklmnopqrstuvwxyz";

}  // namespace

// The examples of [MS-XCA] 3.1 and 3.2.
TEST_CASE("plain LZ77 examples of MS-XCA decompress") {
  std::vector<std::uint8_t> letters = {0x3f, 0, 0, 0};
  letters.insert(letters.end(), kLetters.begin(), kLetters.end());
  std::vector<std::uint8_t> out(26);
  REQUIRE(decompress_xpress(letters, out));
  CHECK(text_of(out) == kLetters);

  const std::vector<std::uint8_t> packed = {0xff, 0xff, 0xff, 0x1f, 0x61, 0x62, 0x63,
                                            0x17, 0x00, 0x0f, 0xff, 0x26, 0x01};
  out.resize(300);
  REQUIRE(decompress_xpress(packed, out));
  CHECK(text_of(out) == repeated("abc", 100));
}

// [MS-XCA] 3.3, LZNT1: the beginning of a tune.
TEST_CASE("the LZNT1 example of MS-XCA decompresses") {
  const std::vector<std::uint8_t> packed = {
      0x38, 0xb0, 0x88, 0x46, 0x23, 0x20, 0x00, 0x20, 0x47, 0x20, 0x41, 0x00, 0x10, 0xa2, 0x47,
      0x01, 0xa0, 0x45, 0x20, 0x44, 0x00, 0x08, 0x45, 0x01, 0x50, 0x79, 0x00, 0xc0, 0x45, 0x20,
      0x05, 0x24, 0x13, 0x88, 0x05, 0xb4, 0x02, 0x4a, 0x44, 0xef, 0x03, 0x58, 0x02, 0x8c, 0x09,
      0x16, 0x01, 0x48, 0x45, 0x00, 0xbe, 0x00, 0x9e, 0x00, 0x04, 0x01, 0x18, 0x90, 0x00};
  std::string tune =
      "F# F# G A A G F# E D D E F# F# E E F# F# G A A G F# E D D E F# E D D E E F# D E F# G F# D E "
      "F# G F# E D E A F# F# G A A G F# E D D E F# E D D";
  tune.push_back('\0');
  std::vector<std::uint8_t> out(tune.size());
  REQUIRE(decompress_lznt1(packed, out));
  CHECK(text_of(out) == tune);
}

TEST_CASE("a block's code lengths and bits are read as in the examples of MS-XCA") {
  // The LZ77+Huffman examples of [MS-XCA]: 256 bytes of code lengths, then the bit stream.
  std::vector<std::uint8_t> packed(256);
  for (std::size_t i = 0x31; i <= 0x3A; ++i) packed[i] = 0x55;
  packed[0x30] = 0x50;
  packed[0x3B] = 0x45;
  packed[0x3C] = 0x44;
  packed[0x3D] = 0x04;
  packed[0x80] = 0x04;
  const std::vector<std::uint8_t> stream = {0xd8, 0x52, 0x3e, 0xd7, 0x94, 0x11, 0x5b,
                                            0xe9, 0x19, 0x5f, 0xf9, 0xd6, 0x7c, 0xdf,
                                            0x8d, 0x04, 0x00, 0x00, 0x00, 0x00};
  packed.insert(packed.end(), stream.begin(), stream.end());
  std::vector<std::uint8_t> out(26);
  REQUIRE(decompress_xpress_huffman(packed, out));
  CHECK(text_of(out) == kLetters);
}

TEST_CASE("compressed data decompresses to the original") {
  auto format = GENERATE(CompressionFormat::xpress, CompressionFormat::lznt1,
                         CompressionFormat::xpress_huffman);
  auto size = GENERATE(as<std::size_t>(), 1, 2, 3, 17, 31, 32, 33, 4095, 4096, 4097, 65464, 65536,
                       65537, 200'000);
  for (unsigned seed = 0; seed < 4; ++seed) {
    std::vector<std::uint8_t> data = varied_data(size, seed);
    std::vector<std::uint8_t> out(size);
    REQUIRE(decompress(format, compress(format, data), out));
    REQUIRE(out == data);
  }
  std::vector<std::uint8_t> same(size, 'x');
  std::vector<std::uint8_t> out(size);
  REQUIRE(decompress(format, compress(format, same), out));
  REQUIRE(out == same);
}

TEST_CASE("cut or changed input is refused or gives other bytes, and never crashes") {
  auto format = GENERATE(CompressionFormat::xpress, CompressionFormat::lznt1,
                         CompressionFormat::xpress_huffman);
  std::vector<std::uint8_t> data = varied_data(5000, 7);
  const std::vector<std::uint8_t> packed = compress(format, data);
  std::vector<std::uint8_t> out(data.size());
  for (std::size_t cut = 0; cut + 8 < packed.size(); cut += 13) {
    std::vector<std::uint8_t> part(packed.begin(), packed.begin() + static_cast<long>(cut));
    CHECK_FALSE(decompress(format, part, out));
  }
  std::mt19937 random(3);
  for (int i = 0; i < 2000; ++i) {
    std::vector<std::uint8_t> changed = packed;
    changed[random() % changed.size()] = static_cast<std::uint8_t>(random());
    decompress(format, changed, out);
  }
}

TEST_CASE("a match that starts before the output, or would overrun it, is refused") {
  // One match item at the very start.
  const std::vector<std::uint8_t> before = {0, 0, 0, 0x80, 0x00, 0x00};
  std::vector<std::uint8_t> out(8);
  CHECK_FALSE(decompress_xpress(before, out));
  // A literal, then a match of 300 bytes into room for 7.
  const std::vector<std::uint8_t> over = {0, 0, 0, 0x40, 'a', 0x07, 0x00, 0x0F, 0xFF, 0x26, 0x01};
  CHECK_FALSE(decompress_xpress(over, out));
  CHECK_FALSE(decompress(CompressionFormat::none, before, out));
}
