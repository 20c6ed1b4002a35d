// Every record of one or several trace files, in order of time across their processors.
#pragma once

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
      if (winner_.rank >= kDone) {
        if (!open_next_group()) return nullptr;
        continue;
      }
      Stream& stream = *streams_[winner_.rank];
      pending_ = true;
      // A stream that is not open yet has been placed by its earliest time only.
      if (!stream.opened) continue;
      return &stream.current;
    }
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
  };
  // A stream's place in the tournament: its time, and its index in streams_ (plus kDone when it has
  // ended), which decides between equal times.
  struct Entrant {
    std::int64_t time = 0;
    std::uint64_t rank = kDone;
  };
  static constexpr std::uint64_t kDone = std::uint64_t{1} << 32;
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
  Entrant entrant(std::size_t index) const;
  bool advance(Stream& stream);
  bool advance_sorted(Stream& stream);
  void note_end(const Stream& stream);
  bool open_buffer(Stream& stream);
  void request_ahead(Stream& stream);

  static bool before(const Entrant& a, const Entrant& b) {
    // Not short-circuited: the outcome is random, and a wrong guess costs more than both compares.
    return (a.time < b.time) | ((a.time == b.time) & (a.rank < b.rank));
  }

  // Moves the delivered record's stream on, and plays its matches up the tree of losers: one match
  // a level, the winner is the next record.
  void advance_winner() {
    auto index = static_cast<std::size_t>(winner_.rank);
    Stream& stream = *streams_[index];
    pending_ = false;
    Entrant current{0, winner_.rank};
    if (!stream.sorted && stream.cursor.next(stream.current)) {
      if (stream.current.time < winner_.time && order_ == ReadOrder::time) {
        ++damage_.backward_steps;
      }
      if (stream.current.kind == RecordKind::unknown) ++damage_.unknown_records;
      current.time = stream.current.time;
    } else if (stream.sorted ? advance_sorted(stream) : advance(stream)) {
      current.time = stream.current.time;
    } else {
      current = {std::numeric_limits<std::int64_t>::max(), winner_.rank + kDone};
    }
    for (std::size_t at = (streams_.size() + index) / 2; at > 0; at /= 2) {
      Entrant& loser = losers_[at];
      Entrant was = loser;
      bool loses = before(was, current);
      loser.time = loses ? current.time : was.time;
      loser.rank = loses ? current.rank : was.rank;
      current.time = loses ? was.time : current.time;
      current.rank = loses ? was.rank : current.rank;
    }
    winner_ = current;
  }

  std::vector<const TraceFile*> files_;
  ReadOrder order_;
  unsigned helpers_;
  std::vector<Group> groups_;
  std::size_t group_ = 0;
  bool group_open_ = false;
  std::vector<std::unique_ptr<Stream>> streams_;
  Entrant winner_;
  std::vector<Entrant> losers_;  // by node; node n's children are 2n and 2n + 1, leaves come last
  bool pending_ = false;         // the winner's record has been delivered
  ReadDamage damage_;
  std::unique_ptr<Prefetcher> prefetcher_;
};

}  // namespace tailgate::etl
