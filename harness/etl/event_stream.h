// The events of a trace that pass a filter, decoded, in order of time: what dump, spans and other
// reports on events read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/etl/decoder.h"
#include "harness/etl/session_records.h"

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
  EventView view() const {
    return {event_, *record_, records_.clock(), records_.session(), &records_.names()};
  }
  NamedEvent named() const { return {event_, *record_, &records_.names()}; }
  std::int64_t elapsed_ns() const { return records_.clock().elapsed_ns(record_->time); }
  std::int64_t filetime() const { return records_.clock().filetime(record_->time); }
  // See SessionRecords.
  const LogFileHeader& session() const { return records_.session(); }
  std::size_t session_number() const { return records_.session_number(); }

  std::uint64_t passed() const { return passed_; }
  // The name that the trace has for a process at the time of the event; empty without one.
  std::string_view process_name(std::uint32_t process) const {
    return process == RecordHeader::kNoId ? std::string_view()
                                          : records_.names().process(process, record_->time);
  }
  // What to say about names, if anything: see TraceNames.
  std::string name_limits() const { return records_.name_limits(); }
  // What to say when nothing passed: see FilterMatcher.
  std::string why_nothing() const {
    return passed_ == 0 ? records_.matcher().why_nothing() : std::string();
  }

 private:
  bool passes();

  SessionRecords records_;
  Decoder& decoder_;
  const Record* record_ = nullptr;
  DecodedEvent event_;
  bool attributed_ = false;
  std::uint64_t passed_ = 0;
};

}  // namespace tailgate::etl
