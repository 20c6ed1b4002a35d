// The records of a trace in order of time, in blocks that several threads can decode, each a block
// of its own.
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

// Copies of records of one session, and what else decoding takes from the records before them.
struct EventBlock {
  struct Item {
    Record record;
    std::uint32_t process_id;  // with what KernelActivity attributes
    std::uint32_t thread_id;
    bool attributed;
    const SharedText* own_name;  // see Decoder::remember_provider()
  };
  std::uint64_t number = 0;
  std::vector<Item> items;
  std::vector<std::uint8_t> bytes;
  const SessionClock* clock = nullptr;
  const LogFileHeader* session = nullptr;
  const SessionNames* names = nullptr;
};

class EventBlocks {
 public:
  // Keeps references to the decoder and the filter.
  EventBlocks(const std::vector<const TraceFile*>& files, Decoder& decoder,
              const EventFilter& filter);

  // Fills the block with the next records that the filter's times include. Returns false at the
  // end. One thread at a time may call it.
  bool next(EventBlock& block);

  // It notes what the filter's times excluded.
  FilterMatcher& matcher() { return matcher_; }
  // What to say about names, if anything: see TraceNames.
  std::string name_limits() const { return names_.limits(); }

 private:
  void advance();
  void add_record(EventBlock& block);

  TraceNames names_;
  TraceReader reader_;
  Decoder& decoder_;
  FilterMatcher matcher_;
  std::unique_ptr<KernelActivity> kernel_;
  const LogFileHeader* session_ = nullptr;
  const SessionNames* session_names_ = nullptr;
  const Record* record_ = nullptr;  // the first one of the next block
  bool begun_ = false;
  std::uint64_t blocks_ = 0;
};

}  // namespace tailgate::etl
