// Every record of one or several trace files, in order of time across their processors.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
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

  // The next record, valid until the next call; null at the end. A pointer, because copying what
  // was just stored piecemeal stalls the processor for longer than finding the record took.
  const Record* next() {
    for (;;) {
      if (pending_) advance_winner();
      if (winner_key_ == kDoneKey) {
        if (!open_next_group()) return nullptr;
        continue;
      }
      pending_ = true;
      // A stream that is not open yet has been placed by its earliest time only.
      const Head& head = heads_[winner_];
      if (head.at != nullptr) return head.at;
    }
  }

  // The clock that the last record's time is on, and what its session's header says.
  const SessionClock& clock() const { return groups_[group_].clock; }
  const LogFileHeader& header() const { return *groups_[group_].header; }
  // Stretches of files on different clocks; above 1, times do not compare between them.
  std::size_t clock_count() const { return groups_.size(); }
  // Which clock, from 0.
  std::size_t clock_index() const { return group_; }

  // Counts records as they are decoded, which may be some dozens ahead of their delivery.
  const ReadDamage& damage() const { return damage_; }

 private:
  struct BufferAt {
    const TraceFile* file;
    const BufferRef* buffer;
    std::int64_t first_time = 0;  // sorted streams only
  };
  // Records decoded at a time: enough to keep the cursor's state in registers, and few enough for
  // the batches of many processors to stay in the first-level cache.
  static constexpr std::size_t kBatch = 32;
  struct Stream {
    std::vector<BufferAt> buffers;
    std::vector<PrefetchSlot> slots;  // ring: buffer i is in slot i % size
    std::size_t next_buffer = 0;
    std::size_t requested = 0;
    RecordCursor cursor;
    std::int64_t last_time = std::numeric_limits<std::int64_t>::min();  // decoded so far
    Bytes bytes;  // of the buffer that is being read
    std::size_t prefetched_bytes = 0;
    bool in_buffer = false;
    bool sorted = false;  // times may go back inside the buffer: its records are sorted first
    bool opened = false;  // sorted streams only
    std::vector<Record> batch;
  };
  // What the merge needs of a stream. One record beyond `end` can be read: its time is looked at
  // early, and not used.
  struct Head {
    const Record* at = nullptr;  // the stream's current record; null: none has been decoded yet
    const Record* end = nullptr;
    std::uint64_t next_key = 0;  // of at + 1, known before the merge gets there
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

  // A time as an unsigned number in the same order, with room for 0 below and kDoneKey above.
  static std::uint64_t key_of(std::int64_t time) {
    std::uint64_t key = static_cast<std::uint64_t>(time) ^ (std::uint64_t{1} << 63);
    return std::clamp<std::uint64_t>(key, 1, kDoneKey - 1);
  }

  // Moves the delivered record's stream on, and plays its matches up the tree of losers: one match
  // a level, the winner is the next record.
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
    // No branches: the outcome is random, and a wrong guess costs more than all of the matches.
    for (std::size_t node = losers_.size() + winner; node > 1; node /= 2) {
      std::uint32_t& loser = losers_[node / 2];
      const std::uint64_t loser_key = keys_[loser];
      // Equal times go to the lower stream, which is the left one: the waiting one if the current
      // one comes from the right. Keys are at least 1.
      // Compilers turn a choice between the two into a branch, but not this exchange.
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
  std::vector<Head> heads_;          // by stream
  std::vector<std::uint64_t> keys_;  // by stream, and kDoneKey up to a power of two
  std::uint32_t winner_ = 0;
  std::uint64_t winner_key_ = kDoneKey;
  // By node; node n's children are 2n and 2n + 1. As many nodes as leaves, which are the streams in
  // order.
  std::vector<std::uint32_t> losers_;
  bool pending_ = false;  // the winner's record has been delivered
  ReadDamage damage_;
  std::unique_ptr<Prefetcher> prefetcher_;
};

}  // namespace tailgate::etl
