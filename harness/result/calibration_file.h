// The file format of a calibration: JSON with the facts of each run, and for each metric one column
// with the values of all runs.
//
// A column is a text, compressed by zlib (RFC 1950) and encoded as base64 (RFC 4648). The text has
// two lines per run, in the order of the runs: side A's values and side B's values, one per round,
// separated by single spaces. A number is the shortest text that reads back as the same double, so
// nothing is rounded. Both lines are empty for a run in which the metric was not measured. Every
// line ends with a line feed. In Python, run i has lines 2 i and 2 i + 1 of
//
//   zlib.decompress(base64.b64decode(column["values"])).decode().split("\n")
//
// Version 1 had no columns: each run held its own series, as JSON numbers.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "harness/result/calibration.h"

namespace tailgate {

inline constexpr int kCalibrationVersion = 2;
inline constexpr const char* kCalibrationFormat = "tailgate-calibration";

// Limit of the uncompressed columns of a file. Those of a night have 2 MB.
inline constexpr std::size_t kMaxCalibrationTextBytes = std::size_t{64} << 20;

struct MetricColumn {
  std::string name;
  std::string values;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("name", &MetricColumn::name, "the metric");
    v("values", &MetricColumn::values, "its values in all runs: text, zlib-compressed, base64");
  }
};

struct CalibrationFile {
  std::string format = kCalibrationFormat;
  int version = kCalibrationVersion;
  std::vector<CalibrationRun> runs;  // without their metrics
  std::vector<MetricColumn> metrics;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("format", &CalibrationFile::format, "always 'tailgate-calibration'");
    v("version", &CalibrationFile::version, "version of this schema");
    v("runs", &CalibrationFile::runs, "every comparison, in the order of execution");
    v("metrics", &CalibrationFile::metrics, "a column for each metric that any run has", 2);
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

// Converts a calibration to its file. Throws Error if a value is not finite.
CalibrationFile to_file(const Calibration& calibration);

// Converts a file to the calibration. old: the metrics of a file of version 1; has no runs for
// other files. Throws Error that names metric and run if a column cannot be decoded, if the series
// of a run differ in their number of rounds, or if a run has a metric twice.
Calibration from_file(CalibrationFile file, CalibrationFileV1 old);

// Adds a metric's column, as text, to the runs; throws like from_file, which uses it. The fuzz
// target calls it directly, since fuzzing hardly ever produces a valid zlib checksum.
void add_column(const std::string& metric, std::string_view text,
                std::vector<CalibrationRun>& runs);

}  // namespace tailgate
