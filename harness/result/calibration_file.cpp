#include "harness/result/calibration_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <memory>
#include <new>
#include <stdexcept>
#include <utility>

#include "harness/base/base64.h"
#include "harness/base/error.h"

namespace tailgate {
namespace {

constexpr const char* kDamagedRecord = "copy the file again from where it was made, or run again";
constexpr std::string_view kNoValue = "nan";

[[noreturn]] void refuse(const std::string& metric, const std::string& why) {
  throw Error(fmt::format("the values of '{}' cannot be read: {}", metric, why), kDamagedRecord);
}

std::string deflated(std::string_view text) {
  uLongf bytes = compressBound(static_cast<uLong>(text.size()));
  std::string stream(bytes, '\0');
  const int status = compress2(reinterpret_cast<Bytef*>(stream.data()), &bytes,
                               reinterpret_cast<const Bytef*>(text.data()),
                               static_cast<uLong>(text.size()), Z_BEST_COMPRESSION);
  if (status == Z_MEM_ERROR) throw std::bad_alloc();
  if (status != Z_OK) throw std::logic_error("compressBound() was too small");
  stream.resize(bytes);
  return stream;
}

// Inflates a stream to its text. The buffer grows with the bytes read, up to the limit.
std::string inflated(const std::string& metric, std::string_view bytes, std::size_t limit) {
  z_stream stream{};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  if (inflateInit(&stream) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&stream, inflateEnd);
  std::string text;
  int status = Z_OK;
  while (status == Z_OK && text.size() <= limit) {
    const std::size_t filled = text.size();
    const std::size_t room = std::max<std::size_t>(16384, filled);
    text.resize(filled + room);
    stream.next_out = reinterpret_cast<Bytef*>(text.data() + filled);
    stream.avail_out = static_cast<uInt>(room);
    status = inflate(&stream, Z_NO_FLUSH);
    text.resize(filled + room - stream.avail_out);
  }
  if (status == Z_MEM_ERROR) throw std::bad_alloc();
  if (text.size() > limit) {
    refuse(metric, fmt::format("all columns together exceed {} bytes of text, which is the most "
                               "that a calibration may have",
                               kMaxCalibrationTextBytes));
  }
  if (status != Z_STREAM_END) refuse(metric, "the zlib stream is damaged or cut short");
  if (stream.avail_in != 0) refuse(metric, "bytes follow the zlib stream");
  return text;
}

void append_line(const CalibrationRun& run, const std::string& metric,
                 const std::vector<double>& values, std::string& text) {
  std::array<char, 32> digits;
  const char* separator = "";
  for (const double value : values) {
    text.append(separator);
    separator = " ";
    if (std::isnan(value)) {
      text.append(kNoValue);
      continue;
    }
    if (std::isinf(value)) {
      throw Error(fmt::format("{} = {} in the run of '{}' at {} cannot be written: a calibration "
                              "holds finite numbers only",
                              metric, value, run.sink, run.started_utc),
                  "report this as a defect of tailgate, with the command that was run");
    }
    const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    text.append(digits.data(), end);
  }
  text += '\n';
}

template <class Series>
const Series* find_series(const std::vector<Series>& all, const std::string& name) {
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const Series& series) { return series.name == name; });
  return found == all.end() ? nullptr : &*found;
}

ValuesColumn column_of(const Calibration& calibration, const std::string& metric) {
  std::string text;
  for (const CalibrationRun& run : calibration.runs) {
    const MetricSeries* series = find_series(run.metrics, metric);
    append_line(run, metric, series == nullptr ? std::vector<double>() : series->a, text);
    append_line(run, metric, series == nullptr ? std::vector<double>() : series->b, text);
  }
  return {metric, to_base64(deflated(text))};
}

ValuesColumn fact_column_of(const Calibration& calibration, const std::string& fact) {
  std::string text;
  for (const CalibrationRun& run : calibration.runs) {
    const FactSeries* series = find_series(run.facts, fact);
    append_line(run, fact, series == nullptr ? std::vector<double>() : series->values, text);
  }
  return {fact, to_base64(deflated(text))};
}

// Returns the name of every metric or fact of any run, in order of first occurrence.
template <class Series>
std::vector<std::string> names_of(const Calibration& calibration,
                                  std::vector<Series> CalibrationRun::*member) {
  std::vector<std::string> names;
  for (const CalibrationRun& run : calibration.runs) {
    for (const Series& series : run.*member) {
      if (std::find(names.begin(), names.end(), series.name) == names.end()) {
        names.push_back(series.name);
      }
    }
  }
  return names;
}

// Removes and returns the first line of the text. line: its number, from 1.
std::vector<double> take_line(const std::string& metric, std::size_t line, std::string_view& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) refuse(metric, fmt::format("line {} is missing", line));
  std::vector<double> values;
  std::string_view left = text.substr(0, end);
  text.remove_prefix(end + 1);
  while (!left.empty()) {
    double& value = values.emplace_back();
    const std::string_view word = left.substr(0, left.find(' '));
    const auto [after, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    const bool is_number =
        error == std::errc() && after == word.data() + word.size() && std::isfinite(value);
    if (word == kNoValue) {
      value = std::nan("");
    } else if (!is_number) {
      refuse(metric, fmt::format("value {} of line {} is not a number", values.size(), line));
    }
    left.remove_prefix(word.size());
    if (left == " ") {
      refuse(metric, fmt::format("a space ends line {}", line));
    }
    if (!left.empty()) left.remove_prefix(1);
  }
  return values;
}

// An empty line means that the metric was not measured in that run.
void add_series(MetricSeries series, CalibrationRun& run) {
  if (series.a.empty() && series.b.empty()) return;
  const std::string place =
      fmt::format("metric '{}' in the run of '{}' at {}", series.name, run.sink, run.started_utc);
  if (find_series(run.metrics, series.name) != nullptr) {
    throw Error(fmt::format("{} is given twice", place), kDamagedRecord);
  }
  const std::size_t rounds = run.metrics.empty() ? series.a.size() : run.metrics.front().a.size();
  if (series.a.size() != rounds || series.b.size() != rounds) {
    throw Error(fmt::format("{} has {} values of side A and {} of side B, not {}", place,
                            series.a.size(), series.b.size(), rounds),
                kDamagedRecord);
  }
  run.metrics.push_back(std::move(series));
}

void add_fact(FactSeries fact, CalibrationRun& run) {
  if (fact.values.empty()) return;
  const std::string place =
      fmt::format("fact '{}' in the run of '{}' at {}", fact.name, run.sink, run.started_utc);
  if (find_series(run.facts, fact.name) != nullptr) {
    throw Error(fmt::format("{} is given twice", place), kDamagedRecord);
  }
  const std::size_t rounds = run.metrics.empty() ? 0 : run.metrics.front().a.size();
  if (fact.values.size() != rounds) {
    throw Error(fmt::format("{} has {} values, not {}", place, fact.values.size(), rounds),
                kDamagedRecord);
  }
  run.facts.push_back(std::move(fact));
}

// A column's text. limit: of its bytes, less what it has afterwards.
std::string text_of(const ValuesColumn& column, std::size_t& limit) {
  std::string stream;
  try {
    stream = from_base64(column.values);
  } catch (const Error& error) {
    refuse(column.name, error.what_failed());
  }
  std::string text = inflated(column.name, stream, limit);
  limit -= text.size();
  return text;
}

}  // namespace

CalibrationFile to_file(const Calibration& calibration) {
  CalibrationFile file;
  file.runs = calibration.runs;
  for (CalibrationRun& run : file.runs) {
    run.metrics.clear();
    run.facts.clear();
  }
  for (const std::string& metric : names_of(calibration, &CalibrationRun::metrics)) {
    file.metrics.push_back(column_of(calibration, metric));
  }
  for (const std::string& fact : names_of(calibration, &CalibrationRun::facts)) {
    file.facts.push_back(fact_column_of(calibration, fact));
  }
  return file;
}

void add_column(const std::string& metric, std::string_view text,
                std::vector<CalibrationRun>& runs) {
  std::size_t line = 0;
  for (CalibrationRun& run : runs) {
    MetricSeries series{metric, {}, {}};
    series.a = take_line(metric, ++line, text);
    series.b = take_line(metric, ++line, text);
    add_series(std::move(series), run);
  }
  if (!text.empty()) refuse(metric, fmt::format("text follows line {}, the last", line));
}

void add_fact_column(const std::string& fact, std::string_view text,
                     std::vector<CalibrationRun>& runs) {
  std::size_t line = 0;
  for (CalibrationRun& run : runs) add_fact({fact, take_line(fact, ++line, text)}, run);
  if (!text.empty()) refuse(fact, fmt::format("text follows line {}, the last", line));
}

Calibration from_file(CalibrationFile file, CalibrationFileV1 old) {
  Calibration calibration;
  calibration.runs = std::move(file.runs);
  for (std::size_t i = 0; i < old.runs.size(); ++i) {
    for (MetricSeries& series : old.runs[i].metrics) {
      add_series(std::move(series), calibration.runs[i]);
    }
  }
  std::size_t limit = kMaxCalibrationTextBytes;
  for (const ValuesColumn& column : file.metrics) {
    add_column(column.name, text_of(column, limit), calibration.runs);
  }
  for (const ValuesColumn& column : file.facts) {
    add_fact_column(column.name, text_of(column, limit), calibration.runs);
  }
  return calibration;
}

}  // namespace tailgate
