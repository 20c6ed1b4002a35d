// The events of a trace that pass a filter, decoded, in order of time: what dump, spans and other
// reports on events read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "harness/etl/decoder.h"
#include "harness/etl/event_filter.h"
#include "harness/etl/kernel_activity.h"
#include "harness/etl/trace_names.h"
#include "harness/etl/trace_reader.h"

namespace tailgate::etl {

class EventStream {
 public:
  // Keeps references to the decoder and the filter.
  EventStream(const std::vector<const TraceFile*>& files, Decoder& decoder,
              const EventFilter& filter);

  // Goes on to the next event that passes the filter. Returns false at the end.
  bool next();

  // The event, until the next call of next(). A thread or process id that its record does not have
  // is that of the thread that was running: attributed() says so.
  const DecodedEvent& event() const { return event_; }
  const Record& record() const { return *record_; }
  bool attributed() const { return attributed_; }
  EventView view() const { return {event_, *record_, reader_.clock(), *session_, session_names_}; }
  NamedEvent named() const { return {event_, *record_, session_names_}; }
  std::int64_t elapsed_ns() const { return reader_.clock().elapsed_ns(record_->time); }
  std::int64_t filetime() const { return reader_.clock().filetime(record_->time); }
  // The session that recorded it, and its number, from 0. Times of different sessions need not be
  // on one clock.
  const LogFileHeader& session() const { return *session_; }
  std::size_t session_number() const { return sessions_ - 1; }

  std::uint64_t passed() const { return passed_; }
  // The name that the trace has for a process at the time of the event; empty without one.
  std::string_view process_name(std::uint32_t process) const {
    return process == RecordHeader::kNoId ? std::string_view()
                                          : session_names_->process(process, record_->time);
  }
  // What to say about names, if anything: see TraceNames.
  std::string name_limits() const { return names_.limits(); }
  // What to say when nothing passed: see FilterMatcher.
  std::string why_nothing() const { return passed_ == 0 ? matcher_.why_nothing() : std::string(); }

 private:
  bool passes();

  TraceNames names_;
  TraceReader reader_;
  Decoder& decoder_;
  FilterMatcher matcher_;
  std::unique_ptr<KernelActivity> kernel_;
  const LogFileHeader* session_ = nullptr;
  const SessionNames* session_names_ = nullptr;
  std::size_t sessions_ = 0;
  const Record* record_ = nullptr;
  DecodedEvent event_;
  bool attributed_ = false;
  std::uint64_t passed_ = 0;
};

}  // namespace tailgate::etl
