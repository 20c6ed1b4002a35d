// Reads every record of one or several trace files, in order of time across their processors.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "harness/etl/prefetcher.h"
#include "harness/etl/record.h"
#include "harness/etl/trace_file.h"

namespace tailgate::etl {

// Counts of what could not be read. All zero for sound files.
struct ReadDamage {
  std::uint64_t damaged_buffers = 0;  // an impossible record ended the buffer early
  std::uint64_t unread_bytes = 0;     // valid bytes after those records
  std::uint64_t undecompressable_buffers = 0;
  std::uint64_t unread_buffers = 0;   // buffers of types without records
  std::uint64_t unknown_records = 0;  // of undocumented header types; returned as they are
  std::uint64_t backward_steps = 0;   // a processor's time decreased, which the format excludes
  bool any() const {
    return damaged_buffers + undecompressable_buffers + unknown_records + backward_steps > 0;
  }
};

enum class ReadOrder {
  time,  // merged over processors; equal times in order of the processors
  file,  // buffer by buffer, as stored: cheaper, for counting
};

// The number of helper threads that suits this machine: its cores minus the caller's, at most 7.
unsigned default_helpers();

// Streams records. It needs memory for two decompressed buffers per processor (for one when two
// would exceed 16 MB), whatever the files' size. For sessions without per-processor buffers it also
// needs a sorted index of their buffers, and the buffers that overlap in time.
//
// Files, and appended sessions in one file, that were recorded on the same clock (same boot, same
// clock rate) are merged on the raw clock, with the anchor of the first of them. Their own anchors
// differ by tens of microseconds, which would shift sessions against each other. Files on other
// clocks follow one after another by start time.
class TraceReader {
 public:
  // The files must outlive the reader. Throws Error when there are none.
  TraceReader(std::vector<const TraceFile*> files, ReadOrder order,
              unsigned helpers = default_helpers());
  ~TraceReader();

  // Returns the next record, valid until the next call; null at the end. It returns a pointer
  // because copying a record stored field by field just before stalls the processor for longer than
  // finding the record took.
  const Record* next() {
    for (;;) {
      if (pending_) advance_winner();
      if (winner_key_ == kDoneKey) {
        if (!open_next_group()) return nullptr;
        continue;
      }
      pending_ = true;
      // A stream that is not open yet is in the tree with its earliest time only.
      const Head& head = heads_[winner_];
      if (head.at != nullptr) return head.at;
    }
  }

  // Reads the records of one clock alone, by its number in order of start times, below
  // clock_count(). Call it before the first next(); clock() and header() are valid from then on.
  void read_only(std::size_t clock);

  // The last record's clock and its session's header.
  const SessionClock& clock() const { return groups_[group_].clock; }
  const LogFileHeader& header() const { return *groups_[group_].header; }
  // The number of different clocks; with more than one, times of different clocks do not compare.
  std::size_t clock_count() const { return groups_.size(); }

  // Counts damage when records are decoded, which may be some dozens of records before they are
  // returned.
  const ReadDamage& damage() const { return damage_; }

 private:
  struct BufferAt {
    const TraceFile* file;
    const BufferRef* buffer;
    std::int64_t first_time = 0;  // sorted streams only
  };
  // Records decoded at a time: enough to keep the cursor's state in registers, few enough for the
  // batches of many processors to stay in the first-level cache.
  static constexpr std::size_t kBatch = 32;
  struct Stream {
    std::vector<BufferAt> buffers;
    std::vector<PrefetchSlot> slots;  // ring: buffer i is in slot i % size
    std::size_t next_buffer = 0;
    std::size_t requested = 0;
    RecordCursor cursor;
    std::int64_t last_time = std::numeric_limits<std::int64_t>::min();  // of the records decoded so
                                                                        // far
    Bytes bytes;  // bytes of the current buffer
    std::size_t prefetched_bytes = 0;
    bool in_buffer = false;
    bool sorted = false;  // times may decrease within the buffer, so its records are sorted first
    bool opened = false;  // sorted streams only
    std::vector<Record> batch;
  };
  // The state of a stream that the merge needs. One record after `end` can be read: its time is
  // read in advance and not used.
  struct Head {
    const Record* at = nullptr;  // the stream's current record; null: none decoded yet
    const Record* end = nullptr;
    std::uint64_t next_key = 0;  // key of at + 1, computed in advance
  };
  static constexpr std::uint64_t kDoneKey = std::numeric_limits<std::uint64_t>::max();
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
  void start_tournament();
  std::uint64_t first_key(std::size_t index);
  std::uint64_t open_batch(std::size_t index);
  bool fill(Stream& stream);
  bool fill_from_buffer(Stream& stream);
  bool fill_sorted(Stream& stream);
  void note_end(const Stream& stream);
  bool open_buffer(Stream& stream);
  void request_ahead(Stream& stream);

  // Maps a time to an unsigned key of the same order that leaves room for 0 below and kDoneKey
  // above.
  static std::uint64_t key_of(std::int64_t time) {
    std::uint64_t key = static_cast<std::uint64_t>(time) ^ (std::uint64_t{1} << 63);
    return std::clamp<std::uint64_t>(key, 1, kDoneKey - 1);
  }

  // Moves the stream of the returned record forward and replays its path in the tree of losers: one
  // match per level. The winner is the next record.
  void advance_winner() {
    pending_ = false;
    std::uint32_t winner = winner_;
    Head& head = heads_[winner];
    std::uint64_t key = head.next_key;
    if (head.at != nullptr && head.at + 1 != head.end) {
      ++head.at;
      head.next_key = key_of(head.at[1].time);
    } else {
      key = open_batch(winner);
    }
    keys_[winner] = key;
    // Without branches: the outcome is random, and one misprediction costs more than all matches.
    for (std::size_t node = losers_.size() + winner; node > 1; node /= 2) {
      std::uint32_t& loser = losers_[node / 2];
      const std::uint64_t loser_key = keys_[loser];
      // Of equal times the lower stream wins. It is the left child, so the waiting stream wins if
      // the current one comes from the right. Keys are at least 1. Written as a choice between two
      // values the compilers would make a branch of it; they do not with this exchange.
      const std::uint64_t exchange = loser_key - (node & 1) < key ? ~std::uint64_t{0} : 0;
      key ^= (loser_key ^ key) & exchange;
      const std::uint32_t both = (loser ^ winner) & static_cast<std::uint32_t>(exchange);
      loser ^= both;
      winner ^= both;
    }
    winner_ = winner;
    winner_key_ = key;
  }

  std::vector<const TraceFile*> files_;
  ReadOrder order_;
  unsigned helpers_;
  std::vector<Group> groups_;
  std::size_t group_ = 0;
  bool group_open_ = false;
  std::vector<std::unique_ptr<Stream>> streams_;
  std::vector<Head> heads_;          // index: stream
  std::vector<std::uint64_t> keys_;  // index: stream; kDoneKey up to a power of two
  std::uint32_t winner_ = 0;
  std::uint64_t winner_key_ = kDoneKey;
  // Index: node; the children of node n are 2n and 2n + 1. There are as many nodes as leaves, which
  // are the streams in order.
  std::vector<std::uint32_t> losers_;
  bool pending_ = false;  // the winner's record has been returned
  ReadDamage damage_;
  std::unique_ptr<Prefetcher> prefetcher_;
};

}  // namespace tailgate::etl
