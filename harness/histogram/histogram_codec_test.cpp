#include "harness/histogram/histogram_codec.h"

#include <zlib.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/base/base64.h"
#include "harness/base/error.h"
#include "harness/histogram/hdr_reference.h"

using namespace tailgate;
using Catch::Matchers::Contains;

namespace {

std::string big_endian(std::uint64_t value, int width) {
  std::string bytes(static_cast<std::size_t>(width), '\0');
  for (auto at = bytes.rbegin(); at != bytes.rend(); ++at, value >>= 8) {
    *at = static_cast<char>(value);
  }
  return bytes;
}

// Returns a header of V1 or V2 for values 1 to 1000 with two digits, which have 512 slots.
std::string header(std::uint32_t cookie, std::size_t payload_bytes) {
  return big_endian(cookie, 4) + big_endian(payload_bytes, 4) + big_endian(0, 4) +
         big_endian(2, 4) + big_endian(1, 8) + big_endian(1000, 8) +
         big_endian(0x3ff0000000000000, 8);
}

std::string v2(const std::string& payload) {
  return header(0x1c849313, payload.size()) + payload;
}

std::string deflated(std::uint32_t cookie, const std::string& plain) {
  uLongf size = compressBound(static_cast<uLong>(plain.size()));
  std::string stream(size, '\0');
  REQUIRE(compress(reinterpret_cast<Bytef*>(stream.data()), &size,
                   reinterpret_cast<const Bytef*>(plain.data()),
                   static_cast<uLong>(plain.size())) == Z_OK);
  stream.resize(size);
  return big_endian(cookie, 4) + big_endian(size, 4) + stream;
}

Histogram three_values() {
  Histogram histogram({1, 1000, 2});
  histogram.record(1);
  histogram.record(4, 300);
  histogram.record(6, 7);
  return histogram;
}

}  // namespace

TEST_CASE("every encoding decodes to the original histogram", "[codec]") {
  for (const auto& set : test::reference_sets()) {
    CAPTURE(set.name);
    CHECK(decode(encode_v2(set.histogram)) == set.histogram);
    CHECK(decode(encode_v2_compressed(set.histogram)) == set.histogram);
    CHECK(decode(encode_v2_base64(set.histogram)) == set.histogram);
    CHECK(decode(to_base64(encode_v2(set.histogram))) == set.histogram);
  }
}

TEST_CASE("V2 counts are zig-zag numbers, and negative ones are runs of empty slots", "[codec]") {
  // Counts 0; 1; two empty slots; 300; 0; 7 in the documented format.
  const std::string payload("\x00\x02\x03\xd8\x04\x00\x0e", 7);
  CHECK(encode_v2(three_values()) == v2(payload));
  CHECK(decode(v2(payload)) == three_values());
  // HdrHistogram_c writes a single empty slot as a run of one.
  CHECK(decode(v2(std::string("\x01\x02\x03\xd8\x04\x01\x0e", 7))) == three_values());
}

TEST_CASE("the highest count takes nine bytes and is decoded", "[codec]") {
  Histogram histogram({1, 1000, 2});
  histogram.record(3, (std::uint64_t{1} << 63) - 1);
  CHECK(encode_v2(histogram).size() == 40 + 1 + 9);
  CHECK(decode(encode_v2(histogram)) == histogram);
}

TEST_CASE("V1 and V0 counts are words of two, four or eight bytes", "[codec]") {
  for (const int width : {2, 4, 8}) {
    CAPTURE(width);
    std::string words;
    for (const std::uint64_t count : {0u, 1u, 0u, 0u, 300u, 0u, 7u})
      words += big_endian(count, width);
    const auto word_size = static_cast<std::uint32_t>(width) << 4;
    const std::string v1 = header(0x1c849301 | word_size, words.size()) + words;
    const std::string v0 = big_endian(0x1c849308 | word_size, 4) + big_endian(2, 4) +
                           big_endian(1, 8) + big_endian(1000, 8) + big_endian(308, 8) + words;
    CHECK(decode(v1) == three_values());
    CHECK(decode(v0) == three_values());
    CHECK(decode(deflated(0x1c849302 | word_size, v1)) == three_values());
    CHECK(decode(deflated(0x1c849309 | word_size, v0)) == three_values());
  }
}

TEST_CASE("a broken encoding is an error that says what is wrong", "[codec]") {
  const std::string good = v2(std::string("\x00\x02", 2));
  CHECK_THROWS_WITH(decode(""), Contains("it has 0 bytes"));
  CHECK_THROWS_WITH(decode("not a histogram"), Contains("cookie"));
  CHECK_THROWS_WITH(decode("HIST!"), Contains("base64"));
  CHECK_THROWS_WITH(decode(good.substr(0, 39)), Contains("header is cut short"));
  CHECK_THROWS_WITH(decode(good.substr(0, 41)), Contains("payload has 1 bytes instead of 2"));
  CHECK_THROWS_WITH(decode(good + "x"), Contains("payload has 3 bytes instead of 2"));
  CHECK_THROWS_WITH(decode(v2("\x80")), Contains("cut short"));
  CHECK_THROWS_WITH(decode(v2("\xff\xff\xff\xff\xff\xff\xff\xff\xff")), Contains("512 slots"));
  CHECK_THROWS_WITH(decode(v2("\xff\x07\x02\x02")),
                    Contains("512 slots"));  // 512 empty slots, then two counts
  CHECK_THROWS_WITH(decode(header(0x1c849313, 5000)), Contains("a payload of 5000 bytes"));
  std::string many_digits = good;
  many_digits[15] = 9;
  CHECK_THROWS_WITH(decode(many_digits), Contains("significant_digits = 9"));
  std::string shifted = good;
  shifted[11] = 1;
  CHECK_THROWS_WITH(decode(shifted), Contains("floating-point"));
  CHECK_THROWS_WITH(decode(big_endian(0x0c72124e, 4) + good), Contains("DoubleHistogram"));
}

TEST_CASE("a broken zlib stream is an error that says what is wrong", "[codec]") {
  const std::string plain = v2(std::string("\x00\x02", 2));
  const std::string good = deflated(0x1c849314, plain);
  REQUIRE(decode(good).total_count() == 1);
  CHECK_THROWS_WITH(decode(good.substr(0, good.size() - 1)), Contains("instead of"));
  std::string flipped = good;
  flipped.back() = static_cast<char>(flipped.back() ^ 1);
  CHECK_THROWS_WITH(decode(flipped), Contains("zlib stream is broken"));
  std::string cut = good.substr(0, good.size() - 3);
  cut.replace(4, 4, big_endian(cut.size() - 8, 4));
  CHECK_THROWS_WITH(decode(cut), Contains("cut short"));
  std::string longer = good + "x";
  longer.replace(4, 4, big_endian(longer.size() - 8, 4));
  CHECK_THROWS_WITH(decode(longer), Contains("bytes follow"));
  CHECK_THROWS_WITH(decode(deflated(0x1c849314, good)), Contains("no histogram's"));
  // Thirty megabytes of zeros after a header that announces two bytes.
  std::string bomb = plain;
  bomb.resize(30'000'000);
  CHECK_THROWS_WITH(decode(deflated(0x1c849314, bomb)), Contains("longer than announced"));
}

TEST_CASE("a negative or too large count is an error", "[codec]") {
  const std::string minus_one = big_endian(~std::uint64_t{0}, 2);
  CHECK_THROWS_WITH(decode(header(0x1c849321, 2) + minus_one), Contains("negative count"));
  CHECK_THROWS_WITH(decode(header(0x1c849321, 3) + "abc"), Contains("cut short"));
  // Two counts of 2^62 each sum to 2^63.
  const std::string huge = "\x80\x80\x80\x80\x80\x80\x80\x80\x80";
  CHECK_THROWS_WITH(decode(v2(huge + huge)), Contains("2^63"));
}
