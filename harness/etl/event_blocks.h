// The records of a trace in order of time, in blocks that several threads can decode, each a block
// of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/etl/decoder.h"
#include "harness/etl/session_records.h"

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
  std::size_t session_number = 0;
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

  SessionRecords& records() { return records_; }
  const SessionRecords& records() const { return records_; }

 private:
  void add_record(EventBlock& block);

  SessionRecords records_;
  Decoder& decoder_;
  const Record* record_ = nullptr;  // the first one of the next block
  bool begun_ = false;
  std::uint64_t blocks_ = 0;
};

}  // namespace tailgate::etl
