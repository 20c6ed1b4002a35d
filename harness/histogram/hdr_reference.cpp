#include "harness/histogram/hdr_reference.h"

#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <fstream>
#include <limits>
#include <sstream>

namespace tailgate::test {
namespace {

constexpr std::uint64_t hour_ns = 3'600'000'000'000;
constexpr std::uint64_t highest_value = std::numeric_limits<std::int64_t>::max();

class SplitMix64 {
 public:
  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_ = 1;
};

Histogram uniform(std::uint64_t highest, int digits, int count) {
  Histogram histogram({1, highest, digits});
  SplitMix64 random;
  for (int i = 0; i < count; ++i) histogram.record(random.next() % highest + 1);
  return histogram;
}

Histogram exponential(int digits, int count) {
  Histogram histogram({1, hour_ns, digits});
  SplitMix64 random;
  for (int i = 0; i < count; ++i) {
    const std::uint64_t u = random.next() | 1;
    const auto zeros = static_cast<unsigned>(std::countl_zero(u));
    const std::uint64_t fraction = ((u << zeros) << 1) >> 44;
    const std::uint64_t level = (std::uint64_t{zeros} << 20) + ((1u << 20) - 1 - fraction);
    histogram.record(level * 2000 >> 20);
  }
  return histogram;
}

Histogram heavy_tail(std::uint64_t lowest, int digits, int count) {
  Histogram histogram({lowest, hour_ns, digits});
  SplitMix64 random;
  for (int i = 0; i < count; ++i) {
    const std::uint64_t value = random.next() >> 24;
    histogram.record(value >> (random.next() & 31));
  }
  return histogram;
}

Histogram edges(std::uint64_t lowest, std::uint64_t highest, int digits) {
  Histogram histogram({lowest, highest, digits});
  for (int bit = 0; bit < 63; ++bit) {
    const std::uint64_t power = std::uint64_t{1} << bit;
    for (const std::uint64_t value : {power - 1, power, power + 1}) {
      if (value <= highest) histogram.record(value);
    }
  }
  histogram.record(highest);
  return histogram;
}

Histogram counts() {
  Histogram histogram({1, hour_ns, 3});
  for (std::uint64_t bit = 0; bit < 50; ++bit) histogram.record(bit * 777, std::uint64_t{1} << bit);
  return histogram;
}

Histogram constant(std::uint64_t value, std::uint64_t count) {
  Histogram histogram({1, hour_ns, 3});
  histogram.record(value, count);
  return histogram;
}

std::vector<std::string> split_words(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

std::vector<std::string> split_lines(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// Returns the tolerance for a printed number: one unit in its last place.
double last_place(const std::string& number) {
  const std::size_t point = number.find('.');
  double unit = 1.0;
  if (point == std::string::npos) return unit;
  for (std::size_t i = point + 1; i < number.size() && number[i] >= '0' && number[i] <= '9'; ++i) {
    unit /= 10.0;
  }
  return unit;
}

bool is_number(const std::string& word) {
  return !word.empty() && word.find_first_not_of("0123456789.],") == std::string::npos;
}

}  // namespace

std::vector<ReferenceSet> reference_sets() {
  return {
      {"uniform", uniform(1'000'000, 3, 3000)},
      {"uniform-0-digits", uniform(1000, 0, 3000)},
      {"uniform-1-digit", uniform(100'000, 1, 3000)},
      {"uniform-5-digits", uniform(100'000'000, 5, 1000)},
      {"exponential", exponential(3, 5000)},
      {"exponential-4-digits", exponential(4, 1000)},
      {"heavy-tail", heavy_tail(1, 2, 5000)},
      {"heavy-tail-3-digits", heavy_tail(1, 3, 2000)},
      {"heavy-tail-unit-1000", heavy_tail(1000, 3, 2000)},
      {"edges", edges(1, highest_value, 3)},
      {"edges-2-digits", edges(1, 1'000'000, 2)},
      {"edges-unit-1024", edges(1024, hour_ns, 3)},
      {"counts", counts()},
      {"constant", constant(123'456, 1000)},
      {"zero", constant(0, 3)},
      {"one-value", constant(hour_ns, 1)},
      {"empty", constant(0, 0)},
  };
}

std::vector<ReferenceFigures> parse_reference_figures(std::string_view text) {
  std::vector<ReferenceFigures> sets;
  for (const std::string& line : split_lines(std::string(text))) {
    if (!line.starts_with("set=")) continue;
    ReferenceFigures& figures = sets.emplace_back();
    for (const std::string& word : split_words(line)) {
      const std::size_t equals = word.find('=');
      figures[word.substr(0, equals)] = word.substr(equals + 1);
    }
  }
  return sets;
}

void check_figures(const Histogram& histogram, const ReferenceFigures& expected) {
  CAPTURE(expected.at("set"));
  const HistogramRange& range = histogram.layout().range();
  CHECK(std::to_string(range.lowest_discernible) == expected.at("lowest"));
  CHECK(std::to_string(range.highest_trackable) == expected.at("highest"));
  CHECK(std::to_string(range.significant_digits) == expected.at("digits"));
  CHECK(std::to_string(histogram.total_count()) == expected.at("total"));
  CHECK(std::to_string(histogram.min()) == expected.at("min"));
  CHECK(std::to_string(histogram.max()) == expected.at("max"));
  CHECK(histogram.mean() == Approx(std::stod(expected.at("mean"))).epsilon(1e-13));
  CHECK(histogram.stddev() == Approx(std::stod(expected.at("stddev"))).epsilon(1e-13));
  int quantiles = 0;
  for (const auto& [key, value] : expected) {
    if (!key.starts_with('q')) continue;
    CAPTURE(key);
    CHECK(std::to_string(histogram.value_at_quantile(std::stod(key.substr(1)))) == value);
    ++quantiles;
  }
  CHECK(quantiles >= 10);
}

static void check_percentile_words(const std::vector<std::string>& words,
                                   const std::vector<std::string>& expected) {
  REQUIRE(words.size() == expected.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!is_number(expected[i])) {
      CHECK(words[i] == expected[i]);
      continue;
    }
    const double margin = 1.001 * last_place(words[i]);
    CHECK(std::stod(words[i]) == Approx(std::stod(expected[i])).margin(margin).epsilon(0));
  }
}

void check_percentile_text(const std::string& text, const std::string& expected) {
  const std::vector<std::string> lines = split_lines(text);
  const std::vector<std::string> expected_lines = split_lines(expected);
  REQUIRE(lines.size() == expected_lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    CAPTURE(lines[i], expected_lines[i]);
    CHECK(lines[i].size() == expected_lines[i].size());
    check_percentile_words(split_words(lines[i]), split_words(expected_lines[i]));
  }
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  INFO("cannot read " << path);
  REQUIRE(in.good());
  std::ostringstream content;
  content << in.rdbuf();
  return content.str();
}

}  // namespace tailgate::test
