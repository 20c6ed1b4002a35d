// Writes the two text formats of HdrHistogram's tools: interval logs (.hlog) and percentile
// distributions (.hgrm). The functions return text; the caller writes the file.
//
// An .hlog file has comment lines that begin with '#', a legend line, and one line per interval:
//   [Tag=T,]start in s,length in s,maximum,compressed V2 encoding in base64
// HdrHistogram's HistogramLogReader (public domain) defines the format.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "harness/histogram/histogram.h"

namespace tailgate {

// Builds the text of an interval log, format version 1.3.
class HistogramLogWriter {
 public:
  // start_time_s: seconds since the epoch, from 0 to the year 9999; written as start time and base
  // time, so intervals are relative to it. comment: one line, or empty for none. Throws Error for a
  // time out of range and for a comment with a line break.
  HistogramLogWriter(double start_time_s, std::string_view comment);

  // offset_s: start of the interval relative to start_time_s. tag: distinguishes several histograms
  // of one interval; empty for none. Throws Error unless both times are finite and not negative,
  // and for a tag with a comma, a space or a line break.
  void add(double offset_s, double length_s, const Histogram& histogram, std::string_view tag = {});

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

struct HistogramLogInterval {
  std::string tag;  // empty: none
  double start_s;   // seconds since the epoch; as in the log if it has no start time
  double length_s;
  double max;  // as in the log; tailgate and most tools write milliseconds
  Histogram histogram;
};

// Reads interval logs of format versions 1.0 to 1.3, for tests: what tailgate exports, it can read.
class HistogramLogReader {
 public:
  // log: the whole text; must outlive the reader.
  explicit HistogramLogReader(std::string_view log) : rest_(log) {}

  // Returns the next interval, or nothing at the end. Accepts any input: throws Error with the
  // line's number for a line that cannot be read; the next call then continues with the following
  // line.
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
