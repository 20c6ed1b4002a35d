// Compares with HdrHistogram's Java implementation; testdata contains its figures for the same
// values.
#include <zlib.h>

#include <catch2/catch.hpp>
#include <string>

#include "harness/histogram/hdr_reference.h"
#include "harness/histogram/histogram_codec.h"
#include "harness/histogram/histogram_log.h"

using namespace tailgate;

namespace {

const std::string testdata = TAILGATE_TESTDATA_DIR;

}  // namespace

TEST_CASE("figures equal HdrHistogram's for the same values", "[histogram]") {
  const auto expected =
      test::parse_reference_figures(test::read_file(testdata + "/hdr_reference.txt"));
  const auto sets = test::reference_sets();
  REQUIRE(sets.size() == expected.size());
  for (std::size_t i = 0; i < sets.size(); ++i) {
    REQUIRE(sets[i].name == expected[i].at("set"));
    test::check_figures(sets[i].histogram, expected[i]);
  }
}

TEST_CASE("plain encodings equal HdrHistogram's, and its encodings can be read", "[histogram]") {
  const auto expected =
      test::parse_reference_figures(test::read_file(testdata + "/hdr_reference.txt"));
  const auto sets = test::reference_sets();
  REQUIRE(sets.size() == expected.size());
  for (std::size_t i = 0; i < sets.size(); ++i) {
    CAPTURE(sets[i].name);
    const std::string plain = encode_v2(sets[i].histogram);
    CHECK(std::to_string(plain.size()) == expected[i].at("v2_bytes"));
    CHECK(std::to_string(crc32(0, reinterpret_cast<const Bytef*>(plain.data()),
                               static_cast<uInt>(plain.size()))) == expected[i].at("v2_crc32"));
    CHECK(decode(expected[i].at("v2_base64")) == sets[i].histogram);
  }
}

TEST_CASE("the percentile distribution equals HdrHistogram's", "[histogram]") {
  for (const auto& set : test::reference_sets()) {
    if (set.name != "exponential") continue;
    test::check_percentile_text(format_percentile_distribution(set.histogram, 5, 1000.0),
                                test::read_file(testdata + "/hdr_percentiles.hgrm"));
  }
}
