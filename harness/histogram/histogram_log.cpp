#include "harness/histogram/histogram_log.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ctime>
#include <iterator>

#include "harness/base/error.h"
#include "harness/histogram/histogram_codec.h"

namespace tailgate {
namespace {

constexpr double last_time_s = 253'402'300'799.0;  // the end of the year 9999
constexpr double ns_per_ms = 1e6;

[[noreturn]] void reject_line(const std::string& reason) {
  throw Error(reason, "give a log of lines '[Tag=T,]start,length,max,base64'");
}

double parse_number(std::string_view text, const char* what) {
  double number = 0.0;
  const char* end = text.data() + text.size();
  const auto [stopped, failure] = std::from_chars(text.data(), end, number);
  if (failure != std::errc() || stopped != end || !std::isfinite(number)) {
    reject_line(fmt::format("{} '{}' is not a number", what, text.substr(0, 40)));
  }
  return number;
}

// Removes and returns the text up to the next delimiter; removes the delimiter, too.
std::string_view take_field(std::string_view& line) {
  const std::size_t end = std::min(line.find_first_of(", "), line.size());
  const std::string_view field = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return field;
}

bool take_prefix(std::string_view& line, std::string_view prefix) {
  if (!line.starts_with(prefix)) return false;
  line.remove_prefix(prefix.size());
  return true;
}

}  // namespace

HistogramLogWriter::HistogramLogWriter(double start_time_s, std::string_view comment) {
  if (!(start_time_s >= 0.0 && start_time_s <= last_time_s)) {
    throw Error(fmt::format("log start time {} s is outside 0 to {}", start_time_s, last_time_s),
                "give seconds since 1970");
  }
  if (comment.find_first_of("\r\n") != std::string_view::npos) {
    throw Error(fmt::format("log comment '{}' holds a line break", comment), "give one line");
  }
  if (!comment.empty()) text_ += fmt::format("#[{}]\n", comment);
  const std::tm date = fmt::gmtime(static_cast<std::time_t>(start_time_s));
  text_ += fmt::format(
      "#[Histogram log format version 1.3]\n"
      "#[BaseTime: {0:.3f} (seconds since epoch)]\n"
      "#[StartTime: {0:.3f} (seconds since epoch), {1:%a %b %d %H:%M:%S} UTC {1:%Y}]\n"
      "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n",
      start_time_s, date);
}

void HistogramLogWriter::add(double offset_s, double length_s, const Histogram& histogram,
                             std::string_view tag) {
  if (!(offset_s >= 0.0 && length_s >= 0.0 && std::isfinite(offset_s + length_s))) {
    throw Error(fmt::format("log interval at {} s of {} s is not possible", offset_s, length_s),
                "give finite times that are not negative");
  }
  if (tag.find_first_of(", \r\n") != std::string_view::npos) {
    throw Error(fmt::format("log tag '{}' holds a comma, a space or a line break", tag),
                "use letters, digits and dashes");
  }
  if (!tag.empty()) text_ += fmt::format("Tag={},", tag);
  text_ +=
      fmt::format("{:.3f},{:.3f},{:.3f},{}\n", offset_s, length_s,
                  static_cast<double>(histogram.max()) / ns_per_ms, encode_v2_base64(histogram));
}

std::optional<HistogramLogInterval> HistogramLogReader::next() {
  while (!rest_.empty()) {
    const std::string_view line = take_line();
    if (line.empty() || line.starts_with('"')) continue;  // the legend is quoted
    try {
      if (!line.starts_with('#')) return read_interval(line);
      read_comment(line);
    } catch (const Error& error) {
      throw Error(fmt::format("histogram log line {}: {}", line_number_, error.what_failed()),
                  error.remedy());
    }
  }
  return std::nullopt;
}

std::string_view HistogramLogReader::take_line() {
  const std::size_t end = std::min(rest_.find('\n'), rest_.size());
  std::string_view line = rest_.substr(0, end);
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  ++line_number_;
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

void HistogramLogReader::read_comment(std::string_view line) {
  if (take_prefix(line, "#[StartTime: ")) {
    start_time_s_ = parse_number(take_field(line), "start time");
  } else if (take_prefix(line, "#[BaseTime: ")) {
    base_time_s_ = parse_number(take_field(line), "base time");
  }
}

HistogramLogInterval HistogramLogReader::read_interval(std::string_view line) {
  std::string tag;
  if (take_prefix(line, "Tag=")) tag = take_field(line);
  const double timestamp_s = parse_number(take_field(line), "start");
  const double length_s = parse_number(take_field(line), "length");
  const double max = parse_number(take_field(line), "maximum");
  return {tag, base_time_s(timestamp_s) + timestamp_s, length_s, max, decode(line)};
}

// HdrHistogram's rule for logs without a base time: timestamps more than a year before the start
// time are relative to it, others are relative to the epoch.
double HistogramLogReader::base_time_s(double timestamp_s) {
  constexpr double year_s = 365.0 * 24.0 * 3600.0;
  if (!start_time_s_) start_time_s_ = timestamp_s;
  if (!base_time_s_) base_time_s_ = timestamp_s < *start_time_s_ - year_s ? *start_time_s_ : 0.0;
  return *base_time_s_;
}

std::string format_percentile_distribution(const Histogram& histogram, int ticks_per_half_distance,
                                           double value_unit_ratio) {
  if (!(value_unit_ratio > 0.0 && std::isfinite(value_unit_ratio))) {
    throw Error(fmt::format("value_unit_ratio = {} is not above zero", value_unit_ratio),
                "give 1000 to print nanoseconds as microseconds");
  }
  const HistogramLayout& layout = histogram.layout();
  const int digits = layout.range().significant_digits;
  std::string text = fmt::format("{:>12} {:>14} {:>10} {:>14}\n\n", "Value", "Percentile",
                                 "TotalCount", "1/(1-Percentile)");
  auto out = std::back_inserter(text);
  for (const PercentileStep& step : histogram.percentiles(ticks_per_half_distance)) {
    fmt::format_to(out, "{:12.{}f} {:.12f} {:10}",
                   static_cast<double>(step.value) / value_unit_ratio, digits, step.quantile,
                   step.count_to_here);
    if (step.quantile < 1.0) fmt::format_to(out, " {:14.2f}", 1.0 / (1.0 - step.quantile));
    text += '\n';
  }
  fmt::format_to(out, "#[Mean    = {:12.{}f}, StdDeviation   = {:12.{}f}]\n",
                 histogram.mean() / value_unit_ratio, digits, histogram.stddev() / value_unit_ratio,
                 digits);
  fmt::format_to(out, "#[Max     = {:12.{}f}, Total count    = {:12}]\n",
                 static_cast<double>(histogram.max()) / value_unit_ratio, digits,
                 histogram.total_count());
  fmt::format_to(out, "#[Buckets = {:12}, SubBuckets     = {:12}]\n", layout.count_buckets(),
                 2 * layout.slots_per_doubling());
  return text;
}

}  // namespace tailgate
