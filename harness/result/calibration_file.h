// The file format of a calibration: JSON with the facts of each run, and for each metric one column
// with the values of all runs, and for each fact of the rounds.
//
// A column is a text, compressed by zlib (RFC 1950) and encoded as base64 (RFC 4648). The text has
// two lines per run, in the order of the runs: side A's values and side B's values, one per round,
// separated by single spaces. A number is the shortest text that reads back as the same double, so
// nothing is rounded; "nan" stands for a round that lacks it. Both lines are empty for a run in
// which the metric was not measured. Every line ends with a line feed. In Python, run i has lines
// 2 i and 2 i + 1 of
//
//   zlib.decompress(base64.b64decode(column["values"])).decode().split("\n")
//
// The column of a fact has one line per run in place of two.
//
// Version 2 had no facts and no "nan": a metric that one round lacked was left out of the run.
// Version 1 had no columns: each run held its own series, as JSON numbers.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "harness/result/calibration.h"

namespace tailgate {

inline constexpr int kCalibrationVersion = 3;
inline constexpr const char* kCalibrationFormat = "tailgate-calibration";

// Limit of the uncompressed columns of a file. Those of a night have 2 MB.
inline constexpr std::size_t kMaxCalibrationTextBytes = std::size_t{64} << 20;

struct ValuesColumn {
  std::string name;
  std::string values;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("name", &ValuesColumn::name, "the metric or the fact");
    v("values", &ValuesColumn::values, "its values in all runs: text, zlib-compressed, base64");
  }
};

struct CalibrationFile {
  std::string format = kCalibrationFormat;
  int version = kCalibrationVersion;
  std::vector<CalibrationRun> runs;  // without their metrics and facts
  std::vector<ValuesColumn> metrics;
  std::vector<ValuesColumn> facts;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("format", &CalibrationFile::format, "always 'tailgate-calibration'");
    v("version", &CalibrationFile::version, "version of this schema");
    v("runs", &CalibrationFile::runs, "every comparison, in the order of execution");
    v("metrics", &CalibrationFile::metrics, "a column for each metric that any run has", 2);
    v("facts", &CalibrationFile::facts, "a column for each fact that is known of any run's rounds",
      3);
  }
};

// The fields that only files of version 1 have.
struct CalibrationRunV1 {
  std::vector<MetricSeries> metrics;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("metrics", &CalibrationRunV1::metrics, "every metric that was measured in all rounds");
  }
};
struct CalibrationFileV1 {
  std::vector<CalibrationRunV1> runs;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("runs", &CalibrationFileV1::runs, "in the order of CalibrationFile's");
  }
};

// Converts a calibration to its file. Throws Error if a value is infinite.
CalibrationFile to_file(const Calibration& calibration);

// Converts a file to the calibration. old: the metrics of a file of version 1; has no runs for
// other files. Throws Error that names metric and run if a column cannot be decoded, if the series
// of a run differ in their number of rounds, or if a run has a metric twice.
Calibration from_file(CalibrationFile file, CalibrationFileV1 old);

// Adds a metric's column, as text, to the runs; throws like from_file, which uses it. The fuzz
// target calls it directly, since fuzzing hardly ever produces a valid zlib checksum.
void add_column(const std::string& metric, std::string_view text,
                std::vector<CalibrationRun>& runs);

// The same for the column of a fact, after all metrics.
void add_fact_column(const std::string& fact, std::string_view text,
                     std::vector<CalibrationRun>& runs);

}  // namespace tailgate
