#include "harness/histogram/histogram_log.h"

#include <catch2/catch.hpp>
#include <string>

#include "harness/base/error.h"
#include "harness/histogram/hdr_reference.h"
#include "harness/histogram/histogram_codec.h"

using namespace tailgate;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

Histogram one_value(std::uint64_t value_ns) {
  Histogram histogram({1, 3'600'000'000'000, 3});
  histogram.record(value_ns);
  return histogram;
}

}  // namespace

TEST_CASE("a log is read back as it was written", "[log]") {
  HistogramLogWriter writer(1'700'000'000.25, "steady, null sink");
  const auto sets = test::reference_sets();
  double offset_s = 0.0;
  for (const auto& set : sets) {
    writer.add(offset_s, 0.5, set.histogram, set.name);
    offset_s += 1.0;
  }
  HistogramLogReader reader(writer.text());
  offset_s = 0.0;
  for (const auto& set : sets) {
    const auto interval = reader.next();
    REQUIRE(interval);
    CHECK(interval->tag == set.name);
    CHECK(interval->start_s == 1'700'000'000.25 + offset_s);
    CHECK(interval->length_s == 0.5);
    CHECK(interval->max == Approx(static_cast<double>(set.histogram.max()) / 1e6).margin(0.0006));
    CHECK(interval->histogram == set.histogram);
    offset_s += 1.0;
  }
  CHECK_FALSE(reader.next());
  CHECK_FALSE(reader.next());
}

TEST_CASE("a log begins with its header", "[log]") {
  const HistogramLogWriter writer(1'700'000'000.25, "tailgate");
  // date -u -d @1700000000 says Tue Nov 14 22:13:20 UTC 2023.
  CHECK(writer.text() ==
        "#[tailgate]\n"
        "#[Histogram log format version 1.3]\n"
        "#[BaseTime: 1700000000.250 (seconds since epoch)]\n"
        "#[StartTime: 1700000000.250 (seconds since epoch), Tue Nov 14 22:13:20 UTC 2023]\n"
        "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\","
        "\"Interval_Compressed_Histogram\"\n");
  HistogramLogWriter plain(0.0, "");
  CHECK_THAT(plain.text(), StartsWith("#[Histogram log"));
  plain.add(1.5, 0.25, one_value(2'000'000));
  // The slot of 2 ms ends at 2,000,895 ns.
  CHECK_THAT(plain.text(), Contains("\n1.500,0.250,2.001,HISTFAAA"));
}

TEST_CASE("logs of older tools are read", "[log]") {
  const std::string payload = encode_v2_base64(one_value(5));
  // No base time, timestamps relative to the start; spaces between fields; carriage returns.
  const std::string relative =
      "#[Logged by a test]\r\n"
      "#[StartTime: 1438869961.225 (seconds since epoch), Thu Aug 06 07:06:01 PDT 2015]\r\n"
      "\"StartTimestamp\",\"EndTimestamp\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\r\n"
      "\r\n"
      "0.116 1.005 3.031 " +
      payload + "\r\n";
  const auto first = HistogramLogReader(relative).next();
  REQUIRE(first);
  CHECK(first->start_s == Approx(1438869961.341).epsilon(1e-15));
  CHECK(first->tag.empty());
  // No base time, timestamps relative to the epoch; no line break at the end.
  const std::string absolute =
      "#[StartTime: 1438613579.295 (seconds since epoch), x]\n1438613579.290,0.660,0.488," +
      payload;
  const auto second = HistogramLogReader(absolute).next();
  REQUIRE(second);
  CHECK(second->start_s == Approx(1438613579.290).epsilon(1e-15));
  CHECK(second->histogram == one_value(5));
}

TEST_CASE("a line that cannot be read is an error with its number", "[log]") {
  const std::string payload = encode_v2_base64(one_value(5));
  const std::string log = "#[Histogram log format version 1.3]\n" + std::string("0,1,2\n") +
                          "Tag=a,0,one,2," + payload + "\n0,1,2,HISTbroken\n" +
                          "#[StartTime: soon]\nnan,1,2," + payload + "\nTag=b,0,1,2," + payload;
  HistogramLogReader reader(log);
  CHECK_THROWS_WITH(reader.next(), Contains("line 2: "));
  CHECK_THROWS_WITH(reader.next(), Contains("line 3: length 'one' is not a number"));
  CHECK_THROWS_WITH(reader.next(), Contains("line 4: "));
  CHECK_THROWS_WITH(reader.next(), Contains("line 5: start time 'soon]'"));
  CHECK_THROWS_WITH(reader.next(), Contains("line 6: start 'nan'"));
  const auto interval = reader.next();
  REQUIRE(interval);
  CHECK(interval->tag == "b");
  CHECK_FALSE(reader.next());
}

TEST_CASE("values that a log cannot contain are errors", "[log]") {
  HistogramLogWriter writer(0.0, "");
  CHECK_THROWS_WITH(writer.add(0.0, 1.0, one_value(1), "a,b"), Contains("log tag 'a,b'"));
  CHECK_THROWS_AS(writer.add(-1.0, 1.0, one_value(1)), Error);
  CHECK_THROWS_AS(writer.add(1e308, 1e308, one_value(1)), Error);
  CHECK_THROWS_AS(HistogramLogWriter(-1.0, ""), Error);
  CHECK_THROWS_AS(HistogramLogWriter(1e18, ""), Error);
  CHECK_THROWS_AS(HistogramLogWriter(0.0, "two\nlines"), Error);
}

TEST_CASE("a percentile distribution needs a ratio above zero", "[log]") {
  CHECK_THROWS_AS(format_percentile_distribution(one_value(1), 5, 0.0), Error);
  CHECK_THROWS_AS(format_percentile_distribution(one_value(1), 0, 1.0), Error);
  CHECK_THAT(format_percentile_distribution(Histogram({1, 1000, 2}), 5, 1.0),
             Contains("Total count    =            0]"));
}
