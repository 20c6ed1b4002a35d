// Collects what the history keeps of one document, series by series.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "harness/histogram/histogram.h"
#include "harness/history/record.h"
#include "harness/result/command_duet.h"
#include "harness/result/duet.h"
#include "harness/result/verdict.h"

namespace tailgate::history {

class RecordMaker {
 public:
  RecordMaker(Record& record, Series series) : record_(record), series_(std::move(series)) {}

  // Whose values follow.
  void part(const std::string& part) { series_.part = part; }

  // Adds the distribution, where it has values. Throws Error where it cannot be decoded.
  void add(const std::string& metric, const Latency& latency);
  void add(const std::string& metric, const Histogram& histogram);
  // Adds the figure, where there is one and it is finite.
  void add(const std::string& metric, const std::string& unit, std::optional<double> value);

 private:
  Series of(const std::string& metric, const std::string& unit) const;

  Record& record_;
  Series series_;
};

// What all series of the document have in common.
Series series_of(const Record& record);

// The facts of a machine and of a build, a line "name=value" each.
std::string environment_of(const Machine& machine, const Build& build);

// The load of a step in a few words, "steady 10000/s, 128 B": by what it differs from other
// loads of the same scenario.
std::string load_text(const Load& load);

// Time of a document's field. Throws Error where the text is no time.
std::int64_t time_of(const std::string& utc, const char* field, const std::string& origin);

Record record_of(const Result& result, const std::string& origin);
Record record_of(const Duet& duet, const std::string& origin);
Record record_of(const CommandDuet& duet, const std::string& origin);
Record record_of(const Verdict& verdict);

}  // namespace tailgate::history
