#include "harness/etl/event_blocks.h"

#include <algorithm>

namespace tailgate::etl {
namespace {

// Enough for the locks not to count, and little enough to be in the cache when it is decoded.
constexpr std::size_t kBlockBytes = 32 * 1024;

}  // namespace

EventBlocks::EventBlocks(const std::vector<const TraceFile*>& files, Decoder& decoder,
                         const EventFilter& filter)
    : records_(files, filter, std::min(default_helpers(), 1u)), decoder_(decoder) {}

bool EventBlocks::next(EventBlock& block) {
  if (!begun_) record_ = records_.next();
  begun_ = true;
  if (record_ == nullptr) return false;
  block.number = blocks_++;
  block.items.clear();
  block.bytes.clear();
  block.session = &records_.session();
  block.session_number = records_.session_number();
  block.names = &records_.names();
  block.clock = &records_.clock();
  do {
    add_record(block);
    record_ = records_.next();
  } while (record_ != nullptr && &records_.session() == block.session &&
           block.bytes.size() < kBlockBytes);
  const std::uint8_t* at = block.bytes.data();
  for (EventBlock::Item& item : block.items) {
    item.record.data = at;
    at += align8(item.record.size_bytes);
  }
  return true;
}

void EventBlocks::add_record(EventBlock& block) {
  RecordHeader header = decode_header(*record_);
  const SharedText* own_name = decoder_.remember_provider(header);
  const bool attributed = records_.attribute(*record_, header);
  block.items.push_back({*record_, header.process_id, header.thread_id, attributed, own_name});
  block.bytes.insert(block.bytes.end(), record_->data, record_->data + record_->size_bytes);
  block.bytes.resize(align8(block.bytes.size()));
}

}  // namespace tailgate::etl
