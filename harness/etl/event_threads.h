// Decodes and formats the events of a trace on several threads.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "harness/etl/event_blocks.h"
#include "harness/etl/event_path.h"
#include "harness/etl/report.h"

namespace tailgate::etl {

// Makes bytes of events, for one thread.
class EventFormatter {
 public:
  virtual ~EventFormatter() = default;
  // block: that of the event. attributed: as of EventStream.
  virtual void append(const EventView& view, bool attributed, const EventBlock& block,
                      std::string& out) = 0;
};

struct FormattedEvents {
  bool stopped = false;  // the sink returned false; the rest is empty then
  std::uint64_t passed = 0;
  std::string why_nothing;  // when the filter matched nothing: what is near
  std::string name_limits;  // see TraceNames
};

// Formats the events that pass the filter, with one thread for each formatter, the caller's among
// them. The threads take turns at reading a block of records and at writing what they made of it,
// and decode and format meanwhile. They write in the blocks' order, and call the sink one at a
// time, with whole events. What the sink throws is thrown here. Beside the formatters' own memory,
// a thread holds about 3 MB at most, or one event's bytes.
FormattedEvents format_on_threads(const std::vector<const TraceFile*>& files, Decoder& decoder,
                                  const EventFilter& filter,
                                  const std::vector<std::unique_ptr<EventFormatter>>& formatters,
                                  const TextSink& sink);

}  // namespace tailgate::etl
