#include "harness/report/human.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>
#include <sstream>

namespace tailgate {
namespace {

constexpr std::uint64_t kMaxU64 = std::numeric_limits<std::uint64_t>::max();

TEST_CASE("durations have four digits and the unit at hand") {
  const auto text = [](std::uint64_t ns) { return human_duration(ns); };
  CHECK(text(0) == "0ns");
  CHECK(text(999) == "999ns");
  CHECK(text(1000) == "1.000us");
  CHECK(text(1235) == "1.235us");
  CHECK(text(12'345) == "12.35us");
  CHECK(text(999'949) == "999.9us");
  CHECK(text(999'950) == "1.000ms");
  CHECK(text(20'000'502) == "20.00ms");
  CHECK(text(1'000'000'000) == "1.000s");
  CHECK(text(60'000'000'000) == "60.00s");
  CHECK(text(3'600'000'000'000) == "1.000h");
  CHECK(text(86'400'000'000'000) == "1.000d");
}

TEST_CASE("durations that are no whole numbers are rounded, and may be negative") {
  CHECK(human_duration(0.4) == "0ns");
  CHECK(human_duration(-0.4) == "0ns");
  CHECK(human_duration(1234.6) == "1.235us");
  CHECK(human_duration(-1500.0) == "-1.500us");
  CHECK(human_duration(1e300) == "11574d");
}

TEST_CASE("waits are whole seconds, rounded up") {
  CHECK(human_wait(0) == "0 s");
  CHECK(human_wait(11.2) == "12 s");
  CHECK(human_wait(59.5) == "1 min 00 s");
  CHECK(human_wait(100) == "1 min 40 s");
  CHECK(human_wait(3600 + 5 * 60 + 1) == "1 h 05 min");
}

TEST_CASE("counts are exact up to six digits") {
  CHECK(human_count(std::uint64_t{0}) == "0");
  CHECK(human_count(std::uint64_t{999'999}) == "999999");
  CHECK(human_count(std::uint64_t{1'000'000}) == "1.000M");
  CHECK(human_count(std::uint64_t{1'234'567}) == "1.235M");
  CHECK(human_count(std::int64_t{-12}) == "-12");
  CHECK(human_count(std::numeric_limits<std::int64_t>::min()) == "-9.223E");
  CHECK(human_count(kMaxU64) == "18.45E");
}

TEST_CASE("rates drop zeros that say nothing") {
  CHECK(human_rate(0) == "0");
  CHECK(human_rate(0.5) == "0.5");
  CHECK(human_rate(100) == "100");
  CHECK(human_rate(10'000) == "10k");
  CHECK(human_rate(9987.5) == "9.988k");
  CHECK(human_rate(1'500'000) == "1.5M");
  CHECK(human_rate(999'960) == "1M");
  CHECK(human_rate(1e300) == ">9999E");
}

TEST_CASE("no figure is wider than seven columns") {
  std::uint64_t value = 1;
  for (int i = 0; i < 64; ++i, value *= 2) {
    for (const std::uint64_t near : {value - 1, value, value + value / 3}) {
      CHECK(human_duration(near).size() <= 7);
      CHECK(human_count(near).size() <= 7);
      CHECK(human_count(-static_cast<std::int64_t>(near / 2)).size() <= 7);
      CHECK(human_rate(static_cast<double>(near)).size() <= 7);
      CHECK(human_rate(1.0 / static_cast<double>(near + 1)).size() <= 7);
    }
  }
  CHECK(human_duration(kMaxU64).size() <= 7);
}

TEST_CASE("texts wrap at spaces, and within words that are too long") {
  using Lines = std::vector<std::string>;
  CHECK(wrapped("", 10, 2) == Lines{""});
  CHECK(wrapped("one two three", 7, 0) == Lines{"one two", "three"});
  CHECK(wrapped("one two three", 9, 2) == Lines{"one two", "  three"});
  CHECK(wrapped("abcdefghij", 4, 1) == Lines{"abcd", " efg", " hij"});
  CHECK(wrapped("µµµµ µµ", 4, 0) == Lines{"µµµµ", "µµ"});
  CHECK(columns_of("µ時a") == 3);
  CHECK(first_columns("µ時a", 2) == "µ時");
  CHECK(first_columns("a", 2) == "a");
}

TEST_CASE("a line that is broken at a space does not end in one") {
  CHECK(wrapped("a  bcdef", 4, 0) == std::vector<std::string>{"a", "bcde", "f"});
}

TEST_CASE("a paragraph stands two columns in and fits the terminal") {
  const std::string text = paragraph("one\x1b two " + std::string(100, 'x'));
  CHECK(text.starts_with("  one"));
  CHECK(text.ends_with("\n"));
  CHECK(text.find('\x1b') == std::string::npos);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    CHECK(line.starts_with("  "));
    CHECK(columns_of(line) <= 80);
  }
}

}  // namespace
}  // namespace tailgate
