// The nights: what was measured, on any machine, for as long as somebody keeps it. One interface,
// in a file (SQLite) or on a server (PostgreSQL).
//
//   History history = History::open("out/history.sqlite", Access::write);
//   history.append(record);                        // twice the same counts once
//   history.query({.metric = "response_ns_p99.9", .filter = {.sink = "file"}});
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/histogram/histogram.h"
#include "harness/history/database.h"
#include "harness/history/record.h"

namespace tailgate::history {

// What became of a document that was appended.
enum class Appended {
  added,
  replaced,   // an earlier state of it was there
  present,    // the same is there
  outdated,   // a later state of it is there
  different,  // it is there in the same state with another content, which stays
};

// A verdict's night is that of its duet, which is not in the history.
class NoNightError : public Error {
 public:
  using Error::Error;
};

// Which documents and series; an empty field means any.
struct Filter {
  std::string kind = {};      // as in enum_text
  std::string scenario = {};  // its name or its preset
  std::string sink = {};      // its label, or its name for all labels of it
  std::string load = {};
  std::string part = {};
  std::string machine = {};  // its name, or the fingerprint of its group
  std::string since = {};    // nights from this one on, 2026-11-01
  std::string until = {};    // nights to this one, included
};

// Which values become one: their distributions are added up, of figures it is the median.
enum class Merge {
  nothing,  // a row for each document
  night,    // those of one night and machine
  group,    // those of one night, on all machines of one fingerprint
  all,      // those of all nights, on all machines of one fingerprint
};

struct Question {
  // As in metric.h; "call_ns_in_*": all figures whose names begin and end so; empty: every figure,
  // and every whole distribution.
  std::string metric = {};
  Filter filter = {};
  Merge merge = Merge::nothing;
};

// A value. What differs among the merged documents is empty, a time is that of the first.
struct Answer {
  Series series;
  std::string night;
  std::int64_t started_ms = 0;
  std::string machine;
  std::string fingerprint;
  std::string document_id;
  std::string revision;
  std::string label;
  std::size_t documents = 0;
  double value = 0;                       // of a whole distribution: how many values it has
  std::optional<Histogram> distribution;  // where the value is a figure of one
};

// A series, and its number in one history.
struct KnownSeries {
  std::int64_t id = 0;
  bool is_distribution = false;
  Series series;
};

class History {
 public:
  // place: a file, or postgresql://… Throws Error where it is locked, foreign, newer, damaged …
  static History open(const std::string& place, Access access);
  History(std::unique_ptr<Database> database, Access access);

  // Writes the records in one transaction, all or none, and returns what became of each. That costs
  // a fraction of a transaction for each, because they change the same pages of the database: the
  // ends of the series. A verdict's night and machine are those of its duet where they are empty;
  // throws NoNightError where that was not here before.
  std::vector<Appended> append(std::vector<Record> records);

  // The same with one record.
  Appended append(const Record& record);

  // Returns when everything appended is on the disk.
  void sync() { database_->sync(); }

  // The documents, without their values, in order of night and time. `load` and `part` of the
  // filter have no meaning here.
  std::vector<Record> list(const Filter& filter);

  // The series that have values, in order; nights and machines of the filter have no meaning here.
  std::vector<KnownSeries> known_series(const Filter& filter);
  std::vector<Series> series(const Filter& filter);

  // The first of the last so many nights, or of all if there are fewer; empty: there is none.
  std::string first_of_last_nights(std::size_t nights);

  // The answers one after the other, in the order of series, then night, machine and time. Throws
  // Error where no series has the metric, with what there is.
  void for_each(const Question& question, const std::function<void(const Answer&)>& take);

  // The same, without their distributions.
  std::vector<Answer> query(const Question& question);

  const std::string& place() const { return database_->place(); }
  Database& database() { return *database_; }

 private:
  // The numbers of documents, both included.
  struct DocumentRange {
    std::int64_t first;
    std::int64_t last;
  };

  // The documents whose values are to be written, by their numbers.
  using Written = std::map<std::int64_t, const Record*>;

  std::vector<Appended> append_once(const std::vector<Record>& records);
  Appended insert_document(const Record& record, Written& written);
  void insert_environments(const Written& written);
  void queue_machines(const Written& written);
  std::map<Series, std::int64_t> series_ids(const Written& written);
  void insert_values(const Written& written, const std::map<Series, std::int64_t>& ids);
  void remove_values(const Record& record, std::int64_t document);
  void complete(Record& record);
  std::vector<KnownSeries> asked(const Question& question);
  std::optional<DocumentRange> range_of(const Filter& filter);
  void answer(const KnownSeries& known, const DocumentRange& range, const Question& question,
              const std::function<void(const Answer&)>& take);

  std::unique_ptr<Database> database_;
  std::map<Series, std::int64_t> ids_;  // of series that are committed
  std::set<std::string> environments_;  // likewise: their hashes
};

}  // namespace tailgate::history
