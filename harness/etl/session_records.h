// The records of a trace in order of time that a filter's times include, and what the records
// before them say: the session, its names, and who ran on each processor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "harness/etl/event_filter.h"
#include "harness/etl/kernel_activity.h"
#include "harness/etl/trace_names.h"
#include "harness/etl/trace_reader.h"

namespace tailgate::etl {

class SessionRecords {
 public:
  // Keeps a reference to the filter. helpers: threads of the reader.
  SessionRecords(const std::vector<const TraceFile*>& files, const EventFilter& filter,
                 unsigned helpers = default_helpers());

  // Goes on to the next record; null at the end. It is valid until the next call.
  const Record* next();

  // Of the record that next() returned.
  const SessionClock& clock() const { return reader_.clock(); }
  // The session that recorded it, and its number, from 0. Times of different sessions need not be
  // on one clock.
  const LogFileHeader& session() const { return *session_; }
  std::size_t session_number() const { return sessions_ - 1; }
  const SessionNames& names() const { return *session_names_; }
  // Fills in thread and process ids that the record does not have, and says whether it did.
  bool attribute(const Record& record, RecordHeader& header) const {
    return kernel_->attribute(record, header);
  }

  // It notes what the filter's times excluded.
  FilterMatcher& matcher() { return matcher_; }
  const FilterMatcher& matcher() const { return matcher_; }
  // What to say about names, if anything: see TraceNames.
  std::string name_limits() const { return names_.limits(); }

 private:
  TraceNames names_;
  TraceReader reader_;
  FilterMatcher matcher_;
  std::unique_ptr<KernelActivity> kernel_;
  const LogFileHeader* session_ = nullptr;
  const SessionNames* session_names_ = nullptr;
  std::size_t sessions_ = 0;
};

}  // namespace tailgate::etl
