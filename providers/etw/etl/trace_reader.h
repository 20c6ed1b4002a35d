// Every record of one or several trace files, in order of time across their processors.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "providers/etw/etl/prefetcher.h"
#include "providers/etw/etl/record.h"
#include "providers/etw/etl/trace_file.h"

namespace tailgate::etl {

// What could not be read. All zero for sound files.
struct ReadDamage {
  std::uint64_t damaged_buffers = 0;  // a record that cannot be right ended the buffer early
  std::uint64_t unread_bytes = 0;     // valid bytes behind those records
  std::uint64_t undecompressable_buffers = 0;
  std::uint64_t unread_buffers = 0;   // of types that hold no records
  std::uint64_t unknown_records = 0;  // header types nobody documents; delivered as they are
  std::uint64_t backward_steps = 0;   // a processor's time went back, against the format's order
  bool any() const {
    return damaged_buffers + undecompressable_buffers + unknown_records + backward_steps > 0;
  }
};

enum class ReadOrder {
  time,  // merged over processors; ties go to the lower processor
  file,  // buffer by buffer as stored: cheaper, for counting
};

// Helper threads that suit this machine: the cores besides the caller's, at most 7.
unsigned default_helpers();

// Streams records. Memory: two decompressed buffers a processor (one when that would exceed 16 MB),
// whatever the files' size; files of sessions without per-processor buffers add a sorted index of
// the buffers that overlap in time.
//
// Files (and appended stretches of one file) that were recorded on the same clock (same boot, same
// clock rate) are merged on the raw clock with the anchor of the first of them: their own anchors
// differ by tens of microseconds, which would shift sessions against each other. Others follow one
// after another by start time.
class TraceReader {
 public:
  // The files must outlive the reader. Throws Error when there is none.
  TraceReader(std::vector<const TraceFile*> files, ReadOrder order,
              unsigned helpers = default_helpers());
  ~TraceReader();

  // Fills `record` with the next one; false at the end. It stays valid until the next call.
  bool next(Record& record) {
    while (heap_.empty()) {
      if (!open_next_group()) return false;
    }
    if (pending_) {
      if (!advance_top()) return next(record);
    }
    Stream& stream = *heap_.front().stream;
    record = stream.current;
    pending_ = true;
    return true;
  }

  // The clock that the last record's time is on, and what its session's header says.
  const SessionClock& clock() const { return groups_[group_].clock; }
  const LogFileHeader& header() const { return *groups_[group_].header; }
  // Stretches of files on different clocks; above 1, times do not compare between them.
  std::size_t clock_count() const { return groups_.size(); }
  // Which clock, from 0.
  std::size_t clock_index() const { return group_; }

  const ReadDamage& damage() const { return damage_; }

 private:
  struct BufferAt {
    const TraceFile* file;
    const BufferRef* buffer;
    std::int64_t first_time = 0;  // sorted streams only
  };
  struct Stream {
    std::vector<BufferAt> buffers;
    std::vector<PrefetchSlot> slots;  // ring: buffer i is in slot i % size
    std::size_t next_buffer = 0;
    std::size_t requested = 0;
    RecordCursor cursor;
    Record current;
    std::uint32_t buffer_bytes = 0;
    bool in_buffer = false;
    bool sorted = false;  // times may go back inside the buffer: deliver from `index`
    bool opened = false;
    std::vector<Record> index;
    std::size_t next_in_index = 0;
    std::size_t rank = 0;  // ties between equal times
  };
  struct HeapItem {
    std::int64_t time;
    std::size_t rank;
    Stream* stream;
    bool operator<(const HeapItem& other) const {
      return time != other.time ? time < other.time : rank < other.rank;
    }
  };
  struct Group {
    SessionClock clock;
    const LogFileHeader* header = nullptr;
    std::vector<std::pair<const TraceFile*, std::uint16_t>> members;
  };

  void form_groups();
  bool open_next_group();
  void add_streams_by_processor(const Group& group);
  void add_stream_in_file_order(const Group& group);
  void add_sorted_streams(const TraceFile& file, std::uint16_t epoch);
  void start_heap();
  bool advance(Stream& stream);
  bool advance_sorted(Stream& stream);
  bool open_buffer(Stream& stream);
  void request_ahead(Stream& stream);
  bool advance_top();
  void sift_down();

  std::vector<const TraceFile*> files_;
  ReadOrder order_;
  unsigned helpers_;
  std::vector<Group> groups_;
  std::size_t group_ = 0;
  bool group_open_ = false;
  std::vector<std::unique_ptr<Stream>> streams_;
  std::vector<HeapItem> heap_;
  bool pending_ = false;  // the record on top of the heap has been delivered
  ReadDamage damage_;
  std::unique_ptr<Prefetcher> prefetcher_;
};

}  // namespace tailgate::etl
