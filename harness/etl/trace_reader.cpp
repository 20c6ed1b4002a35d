#include "harness/etl/trace_reader.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

#include "harness/base/error.h"
#include "harness/etl/no_processor.h"

namespace tailgate::etl {
namespace {

constexpr std::uint64_t kPrefetchBudgetBytes = 16u << 20;
// Boot times within this distance are the same boot: each session computes its own from the system
// clock, which may be stepped.
constexpr std::int64_t kSameBootFiletime = 2 * kFiletimeTicksPerSecond;

bool same_clock(const LogFileHeader& a, const LogFileHeader& b) {
  if (a.clock_type != b.clock_type) return false;
  if (a.clock_type == ClockType::system_time) return true;
  if (a.clock_hz != b.clock_hz) return false;
  auto apart = static_cast<double>(a.boot_filetime) - static_cast<double>(b.boot_filetime);
  return apart <= kSameBootFiletime && apart >= -kSameBootFiletime;
}

// The header of a trace that was made of an event log says nothing that happened.
bool is_made_up(const BufferRef& buffer) {
  return buffer.type == BufferType::header && buffer.processor == kNoProcessor;
}

// Reading record after record waits for memory at each record. So memory is prefetched this far
// ahead: further than the longest batch of usual records, and little enough for the data of many
// processors to stay in the second-level cache.
constexpr std::size_t kPrefetchBytes = 8192;
constexpr std::size_t kCacheLineBytes = 64;

// Prefetches `bytes` from `done` to `until` and moves `done` there.
void prefetch(Bytes bytes, std::size_t& done, std::size_t until) {
  until = std::min(until, bytes.size());
  std::size_t at = done;
  for (; at < until; at += kCacheLineBytes) __builtin_prefetch(bytes.data() + at);
  done = at;
}

}  // namespace

unsigned default_helpers() {
  unsigned cores = std::thread::hardware_concurrency();
  return std::clamp(cores, 1u, 8u) - 1;
}

TraceReader::TraceReader(std::vector<const TraceFile*> files, ReadOrder order, unsigned helpers)
    : files_(std::move(files)), order_(order), helpers_(helpers) {
  if (files_.empty()) throw Error("no trace file to read", "name at least one .etl file");
  bool compressed = false;
  for (const TraceFile* file : files_) {
    for (const Epoch& epoch : file->epochs()) {
      compressed = compressed || (epoch.header.mode & kModeCompressed);
    }
  }
  prefetcher_ = std::make_unique<Prefetcher>(compressed ? helpers : 0);
  form_groups();
}

TraceReader::~TraceReader() {
  // Helpers may still use the streams' slots, so they stop first.
  prefetcher_.reset();
}

void TraceReader::form_groups() {
  for (const TraceFile* file : files_) {
    auto epochs = file->epochs();
    for (std::size_t i = 0; i < epochs.size(); ++i) {
      const LogFileHeader& header = epochs[i].header;
      auto at = std::find_if(groups_.begin(), groups_.end(), [&header](const Group& group) {
        return same_clock(*group.header, header);
      });
      if (at == groups_.end()) {
        Group group;
        group.clock = epochs[i].clock;
        group.header = &header;
        at = groups_.insert(groups_.end(), group);
      }
      at->members.emplace_back(file, static_cast<std::uint16_t>(i));
    }
  }
  std::stable_sort(groups_.begin(), groups_.end(), [](const Group& a, const Group& b) {
    return a.header->start_filetime < b.header->start_filetime;
  });
}

void TraceReader::read_only(std::size_t clock) {
  groups_ = {groups_.at(clock)};
}

bool TraceReader::open_next_group() {
  if (group_open_) {
    if (group_ + 1 >= groups_.size()) return false;
    ++group_;
  }
  group_open_ = true;
  streams_.clear();
  const Group& group = groups_[group_];
  if (order_ == ReadOrder::file) {
    add_stream_in_file_order(group);
  } else {
    add_streams_by_processor(group);
  }
  start_tournament();
  return true;
}

void TraceReader::add_stream_in_file_order(const Group& group) {
  auto stream = std::make_unique<Stream>();
  for (auto [file, epoch] : group.members) {
    for (const BufferRef& buffer : file->buffers()) {
      if (buffer.epoch == epoch && !is_made_up(buffer)) stream->buffers.push_back({file, &buffer});
    }
  }
  stream->slots.resize(1 + helpers_);
  streams_.push_back(std::move(stream));
}

void TraceReader::add_streams_by_processor(const Group& group) {
  std::map<std::tuple<std::uint16_t, std::size_t>, std::unique_ptr<Stream>> by_processor;
  std::uint64_t slot_bytes = 0;
  for (std::size_t member = 0; member < group.members.size(); ++member) {
    auto [file, epoch] = group.members[member];
    const LogFileHeader& header = file->epochs()[epoch].header;
    if (header.mode & kModeNoPerProcessorBuffering) {
      add_sorted_streams(*file, epoch);
      continue;
    }
    for (const BufferRef& buffer : file->buffers()) {
      if (buffer.epoch != epoch) continue;
      auto& stream = by_processor[{buffer.processor, member}];
      if (!stream) {
        stream = std::make_unique<Stream>();
        if (header.mode & kModeCompressed) slot_bytes += header.buffer_bytes;
      }
      stream->buffers.push_back({file, &buffer});
    }
  }
  bool two_slots = 2 * slot_bytes <= kPrefetchBudgetBytes;
  for (auto& [key, stream] : by_processor) {
    const BufferAt& first = stream->buffers.front();
    if (first.file->epochs()[first.buffer->epoch].header.mode & kModeCircular) {
      // A file that wrapped begins with later buffers; the sequence numbers restore the order.
      std::stable_sort(stream->buffers.begin(), stream->buffers.end(),
                       [](const BufferAt& a, const BufferAt& b) {
                         return a.buffer->sequence < b.buffer->sequence;
                       });
    }
    stream->slots.resize(two_slots ? 2 : 1);
    streams_.push_back(std::move(stream));
  }
}

// Adds one stream per buffer. The merge opens a stream when it reaches the stream's earliest time,
// so only buffers that overlap in time are open at any moment.
void TraceReader::add_sorted_streams(const TraceFile& file, std::uint16_t epoch) {
  std::vector<std::uint8_t> scratch;
  for (const BufferRef& buffer : file.buffers()) {
    if (buffer.epoch != epoch || is_made_up(buffer)) continue;
    auto stream = std::make_unique<Stream>();
    stream->sorted = true;
    stream->slots.resize(1);
    std::int64_t earliest = std::numeric_limits<std::int64_t>::max();
    Bytes bytes = load_buffer(file, buffer, scratch);
    if (!bytes.empty()) {
      RecordCursor cursor(bytes, buffer.processor);
      Record record;
      while (cursor.next(record)) earliest = std::min(earliest, record.time);
    }
    stream->buffers.push_back({&file, &buffer, earliest});
    streams_.push_back(std::move(stream));
  }
}

// The merge key of a stream before its first record is read.
std::uint64_t TraceReader::first_key(std::size_t index) {
  const Stream& stream = *streams_[index];
  if (stream.sorted) return key_of(stream.buffers.front().first_time);
  return open_batch(index);
}

void TraceReader::start_tournament() {
  pending_ = false;
  for (auto& stream : streams_) {
    if (!stream->sorted) request_ahead(*stream);
  }
  std::size_t leaves = std::bit_ceil(streams_.size());
  heads_.assign(streams_.size(), {});
  keys_.assign(leaves, kDoneKey);
  for (std::size_t i = 0; i < streams_.size(); ++i) keys_[i] = first_key(i);
  losers_.assign(leaves, 0);
  std::vector<std::uint32_t> winners(2 * leaves);
  std::iota(winners.begin() + static_cast<std::ptrdiff_t>(leaves), winners.end(), 0);
  for (std::size_t node = leaves; node-- > 1;) {
    std::uint32_t left = winners[2 * node];
    std::uint32_t right = winners[2 * node + 1];
    bool left_first = keys_[left] <= keys_[right];
    winners[node] = left_first ? left : right;
    losers_[node] = left_first ? right : left;
  }
  winner_ = winners[1];
  winner_key_ = keys_[winner_];
}

void TraceReader::request_ahead(Stream& stream) {
  // The slot of the buffer that is being read is not free. So with one slot nothing is prefetched.
  std::size_t limit = std::min(
      stream.buffers.size(), stream.next_buffer + stream.slots.size() - (stream.in_buffer ? 1 : 0));
  for (; stream.requested < limit; ++stream.requested) {
    const BufferAt& at = stream.buffers[stream.requested];
    PrefetchSlot& slot = stream.slots[stream.requested % stream.slots.size()];
    prefetcher_->request(slot, *at.file, *at.buffer);
  }
}

// Makes the stream's next readable buffer the current one; false when there is none.
bool TraceReader::open_buffer(Stream& stream) {
  while (stream.next_buffer < stream.buffers.size()) {
    stream.in_buffer = false;
    request_ahead(stream);
    const BufferRef& buffer = *stream.buffers[stream.next_buffer].buffer;
    Bytes bytes = prefetcher_->take(stream.slots[stream.next_buffer % stream.slots.size()]);
    ++stream.next_buffer;
    stream.in_buffer = true;
    request_ahead(stream);
    BufferHeader header;
    header.type = buffer.type;
    if (!header.holds_records()) {
      ++damage_.unread_buffers;
      continue;
    }
    if (bytes.empty()) {
      ++damage_.undecompressable_buffers;
      continue;
    }
    stream.cursor = RecordCursor(bytes, buffer.processor);
    stream.bytes = bytes;
    stream.prefetched_bytes = 0;
    return true;
  }
  stream.in_buffer = false;
  return false;
}

// Decodes the stream's next batch of records and returns the first one's key, or kDoneKey when
// there is none.
std::uint64_t TraceReader::open_batch(std::size_t index) {
  Stream& stream = *streams_[index];
  Head& head = heads_[index];
  if (!(stream.sorted ? fill_sorted(stream) : fill(stream))) {
    head = {};
    return kDoneKey;
  }
  head.at = stream.batch.data();
  head.end = head.at + stream.batch.size();
  // The vector has room for one record more: the key of the last record's successor is read, too.
  --head.end;
  head.next_key = key_of(head.at[1].time);
  return key_of(head.at->time);
}

// Fills the batch with the next records, from the current or a later buffer; false when none is
// left.
bool TraceReader::fill(Stream& stream) {
  for (;;) {
    if (stream.in_buffer) {
      if (fill_from_buffer(stream)) return true;
      note_end(stream);
    }
    if (!open_buffer(stream)) return false;
  }
}

bool TraceReader::fill_from_buffer(Stream& stream) {
  stream.batch.resize(kBatch + 1);
  RecordCursor& cursor = stream.cursor;
  prefetch(stream.bytes, stream.prefetched_bytes, cursor.position_bytes() + kPrefetchBytes);
  Record* const begin = stream.batch.data();
  Record* const end = begin + kBatch;
  std::int64_t last_time = stream.last_time;
  std::uint64_t backward_steps = 0;
  auto note_time = [&last_time, &backward_steps](std::int64_t time) {
    backward_steps += time < last_time ? 1 : 0;
    last_time = time;
  };
  Record* at = begin;
  for (;;) {
    at = cursor.next_of_same_kind(at, end, note_time);
    if (at == end || !cursor.next(*at)) break;
    note_time(at->time);
    damage_.unknown_records += at->kind == RecordKind::unknown ? 1 : 0;
    ++at;
  }
  stream.last_time = last_time;
  if (order_ == ReadOrder::time) damage_.backward_steps += backward_steps;
  stream.batch.resize(static_cast<std::size_t>(at - begin) + 1);
  return at != begin;
}

void TraceReader::note_end(const Stream& stream) {
  if (!stream.cursor.damaged()) return;
  ++damage_.damaged_buffers;
  damage_.unread_bytes += stream.bytes.size() - stream.cursor.position_bytes();
}

bool TraceReader::fill_sorted(Stream& stream) {
  if (stream.opened) {
    stream.batch = {};
    stream.slots.clear();
    return false;
  }
  stream.opened = true;
  if (!open_buffer(stream)) return false;
  Record record;
  while (stream.cursor.next(record)) {
    if (record.kind == RecordKind::unknown) ++damage_.unknown_records;
    stream.batch.push_back(record);
  }
  note_end(stream);
  std::stable_sort(stream.batch.begin(), stream.batch.end(),
                   [](const Record& a, const Record& b) { return a.time < b.time; });
  if (stream.batch.empty()) return false;
  stream.batch.emplace_back();
  return true;
}

}  // namespace tailgate::etl
