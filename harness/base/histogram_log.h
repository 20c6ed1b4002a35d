// The two text formats that HdrHistogram's tools read: interval logs (.hlog) and percentile
// distributions (.hgrm). Writers return text; whoever calls them writes the file.
//
// An .hlog file is comment lines that begin with '#', a legend line, and one line an interval:
//   [Tag=T,]start in s,length in s,maximum,compressed V2 encoding in base64
// The format is described by HdrHistogram's HistogramLogReader (public domain).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "harness/base/histogram.h"

namespace tailgate {

// Builds the text of an interval log, format version 1.3.
class HistogramLogWriter {
 public:
  // start_time_s: seconds since the epoch, from 0 to the year 9999; written as both start time and
  // base time, so intervals count from it. comment: one line, or empty for none. Throws Error for a
  // time out of range and a comment that holds a line break.
  HistogramLogWriter(double start_time_s, std::string_view comment);

  // offset_s: where the interval begins, after start_time_s. tag: tells apart several histograms of
  // one interval; empty for none. Throws Error unless both times are finite and not negative, and
  // for a tag that holds a comma, a space or a line break.
  void add(double offset_s, double length_s, const Histogram& histogram, std::string_view tag = {});

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

struct HistogramLogInterval {
  std::string tag;  // empty: none
  double start_s;   // seconds since the epoch; where the log names no start, as the log has it
  double length_s;
  double max;  // as the log has it; tailgate and most tools write milliseconds
  Histogram histogram;
};

// Reads interval logs of format versions 1.0 to 1.3.
class HistogramLogReader {
 public:
  // log: the whole text, outliving the reader.
  explicit HistogramLogReader(std::string_view log) : rest_(log) {}

  // The next interval, or nothing at the end. Any input is safe; a line that cannot be read is an
  // Error with its number, after which next() goes on with the line that follows.
  std::optional<HistogramLogInterval> next();

 private:
  std::string_view take_line();
  void read_comment(std::string_view line);
  HistogramLogInterval read_interval(std::string_view line);
  double base_time_s(double timestamp_s);

  std::string_view rest_;
  std::size_t line_number_ = 0;
  std::optional<double> start_time_s_;
  std::optional<double> base_time_s_;
};

// The percentile distribution as HdrHistogram's outputPercentileDistribution prints it, the content
// of an .hgrm file. Values are divided by value_unit_ratio: 1000 prints nanoseconds as
// microseconds. ticks_per_half_distance: as for Histogram::percentiles(). Throws Error unless
// value_unit_ratio is finite and above zero.
std::string format_percentile_distribution(const Histogram& histogram, int ticks_per_half_distance,
                                           double value_unit_ratio);

}  // namespace tailgate
