#include "harness/etl/event_blocks.h"

#include <algorithm>

namespace tailgate::etl {
namespace {

// Enough for the locks not to count, and little enough to be in the cache when it is decoded.
constexpr std::size_t kBlockBytes = 32 * 1024;

}  // namespace

EventBlocks::EventBlocks(const std::vector<const TraceFile*>& files, Decoder& decoder,
                         const EventFilter& filter)
    : names_(files),
      reader_(files, ReadOrder::time, std::min(default_helpers(), 1u)),
      decoder_(decoder),
      matcher_(filter) {}

bool EventBlocks::next(EventBlock& block) {
  if (!begun_) advance();
  begun_ = true;
  if (record_ == nullptr) return false;
  block.number = blocks_++;
  block.items.clear();
  block.bytes.clear();
  block.session = session_;
  block.names = session_names_;
  block.clock = &reader_.clock();
  do {
    add_record(block);
    advance();
  } while (record_ != nullptr && session_ == block.session && block.bytes.size() < kBlockBytes);
  const std::uint8_t* at = block.bytes.data();
  for (EventBlock::Item& item : block.items) {
    item.record.data = at;
    at += align8(item.record.size_bytes);
  }
  return true;
}

// Goes on to the next record that the filter's times include; null at the end.
void EventBlocks::advance() {
  while ((record_ = reader_.next()) != nullptr) {
    if (session_ != &reader_.header()) {
      session_ = &reader_.header();
      session_names_ = &names_.of(*session_);
      kernel_ = std::make_unique<KernelActivity>(*session_, reader_.clock());
    }
    kernel_->add(*record_);
    if (matcher_.time_matches(reader_.clock(), record_->time)) return;
    matcher_.note_time(reader_.clock(), record_->time);
  }
}

void EventBlocks::add_record(EventBlock& block) {
  RecordHeader header = decode_header(*record_);
  const SharedText* own_name = decoder_.remember_provider(header);
  const bool attributed = kernel_->attribute(*record_, header);
  block.items.push_back({*record_, header.process_id, header.thread_id, attributed, own_name});
  block.bytes.insert(block.bytes.end(), record_->data, record_->data + record_->size_bytes);
  block.bytes.resize(align8(block.bytes.size()));
}

}  // namespace tailgate::etl
