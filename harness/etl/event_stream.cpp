#include "harness/etl/event_stream.h"

namespace tailgate::etl {

EventStream::EventStream(const std::vector<const TraceFile*>& files, Decoder& decoder,
                         const EventFilter& filter)
    : names_(files), reader_(files, ReadOrder::time), decoder_(decoder), matcher_(filter) {}

bool EventStream::next() {
  while ((record_ = reader_.next()) != nullptr) {
    if (session_ != &reader_.header()) {
      session_ = &reader_.header();
      session_names_ = &names_.of(*session_);
      ++sessions_;
      kernel_ = std::make_unique<KernelActivity>(*session_, reader_.clock());
    }
    kernel_->add(*record_);
    if (!passes()) continue;
    ++passed_;
    return true;
  }
  return false;
}

bool EventStream::passes() {
  if (!matcher_.time_matches(reader_.clock(), record_->time)) {
    if (passed_ == 0) matcher_.note_time(reader_.clock(), record_->time);
    return false;
  }
  decoder_.decode(*record_, event_);
  attributed_ = kernel_->attribute(*record_, event_.header);
  if (matcher_.matches(view())) return true;
  if (passed_ == 0) matcher_.note(view());
  return false;
}

}  // namespace tailgate::etl
