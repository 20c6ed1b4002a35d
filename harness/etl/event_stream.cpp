#include "harness/etl/event_stream.h"

namespace tailgate::etl {

EventStream::EventStream(const std::vector<const TraceFile*>& files, Decoder& decoder,
                         const EventFilter& filter)
    : records_(files, filter), decoder_(decoder) {}

bool EventStream::next() {
  while ((record_ = records_.next()) != nullptr) {
    if (!passes()) continue;
    ++passed_;
    return true;
  }
  return false;
}

bool EventStream::passes() {
  decoder_.decode(*record_, event_);
  attributed_ = records_.attribute(*record_, event_.header);
  if (records_.matcher().matches(view())) return true;
  if (passed_ == 0) records_.matcher().note(view());
  return false;
}

}  // namespace tailgate::etl
