#include "harness/etl/session_records.h"

namespace tailgate::etl {

SessionRecords::SessionRecords(const std::vector<const TraceFile*>& files,
                               const EventFilter& filter, unsigned helpers)
    : names_(files), reader_(files, ReadOrder::time, helpers), matcher_(filter) {}

const Record* SessionRecords::next() {
  while (const Record* record = reader_.next()) {
    if (session_ != &reader_.header()) {
      session_ = &reader_.header();
      session_names_ = &names_.of(*session_);
      ++sessions_;
      kernel_ = std::make_unique<KernelActivity>(*session_, reader_.clock());
    }
    kernel_->add(*record);
    if (matcher_.time_matches(reader_.clock(), record->time)) return record;
    matcher_.note_time(reader_.clock(), record->time);
  }
  return nullptr;
}

}  // namespace tailgate::etl
