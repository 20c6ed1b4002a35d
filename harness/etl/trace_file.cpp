#include "harness/etl/trace_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/error.h"
#include "harness/etl/decompress.h"

namespace tailgate::etl {
namespace {

// A file with more appended sessions than this is damaged in a way that looks like header buffers.
constexpr std::size_t kMaxEpochs = 65535;

// The documented signature: the first buffer has type HEADER, and its first record is SYSTEM32 or
// SYSTEM64 with hook id 0.
bool has_signature(Bytes bytes) {
  if (bytes.size() < kBufferHeaderBytes + 8) return false;
  const std::uint8_t* at = bytes.data();
  return load<std::uint16_t>(at + 0x36) == static_cast<std::uint16_t>(BufferType::header) &&
         (at[0x4A] == 0x01 || at[0x4A] == 0x02) && at[0x4B] == 0xC0 &&
         load<std::uint16_t>(at + 0x4E) == 0;
}

// Windows XP and 2003 have a reference count where later systems have the buffer's size; their
// header record follows a header of the same length and has version 1.
bool looks_like_windows_5(Bytes bytes) {
  return bytes.size() >= kBufferHeaderBytes + 8 && bytes[0x4B] == 0xC0 &&
         (bytes[0x4A] == 0x01 || bytes[0x4A] == 0x02) &&
         load<std::uint16_t>(bytes.data() + 0x48) == 1 &&
         load<std::uint16_t>(bytes.data() + 0x4E) == 0;
}

}  // namespace

TraceFile::TraceFile(const std::filesystem::path& path) : TraceFile(path, path.string()) {}

TraceFile::TraceFile(const std::filesystem::path& path, std::string name)
    : name_(std::move(name)), mapping_(std::make_unique<MappedFile>(path)) {
  const std::span<const std::byte> mapped = mapping_->bytes();
  bytes_ = Bytes(reinterpret_cast<const std::uint8_t*>(mapped.data()), mapped.size());
  index();
}

TraceFile::TraceFile(Bytes bytes, std::string name) : name_(std::move(name)), bytes_(bytes) {
  index();
}

bool TraceFile::open_epoch(std::uint64_t offset, const BufferHeader& buffer) {
  if (epochs_.size() >= kMaxEpochs) return false;
  Bytes stored = bytes_.subspan(offset, buffer.size_bytes);
  RecordCursor cursor(stored.first(std::min(stored.size(), std::size_t{buffer.filled_bytes})),
                      buffer.processor);
  Record record;
  if (!cursor.next(record)) return false;
  auto header = parse_log_header(record, buffer.state);
  if (!header) return false;
  Epoch epoch;
  epoch.header = std::move(*header);
  epoch.clock = SessionClock(epoch.header);
  epochs_.push_back(std::move(epoch));
  return true;
}

void TraceFile::add_buffer(std::uint64_t offset, const BufferHeader& buffer) {
  BufferRef ref;
  ref.offset = offset;
  ref.sequence = buffer.sequence;
  ref.size_bytes = buffer.size_bytes;
  ref.filled_bytes = buffer.filled_bytes;
  ref.processor = buffer.processor;
  ref.flags = buffer.flags;
  ref.type = buffer.type;
  ref.epoch = static_cast<std::uint16_t>(epochs_.size() - 1);
  buffers_.push_back(ref);
}

void TraceFile::index() {
  auto first = parse_buffer_header(bytes_);
  if (!has_signature(bytes_)) {
    if (looks_like_windows_5(bytes_)) {
      throw Error("'" + name_ + "' was written by Windows XP or Server 2003",
                  "convert it on a current Windows with tracerpt, or record it again");
    }
    throw Error("'" + name_ + "' is not an event trace log: no log-file header at its start",
                "name an .etl file; a .etl that is still being written has its header already");
  }
  if (!first || first->size_bytes > bytes_.size() || !open_epoch(0, *first)) {
    throw Error("'" + name_ + "' has a damaged log-file header, so nothing in it has a time",
                "copy the file again from where it was recorded");
  }
  add_buffer(0, *first);
  std::uint64_t offset = first->size_bytes;
  std::optional<std::uint64_t> unused_tail;
  while (offset < bytes_.size()) {
    auto buffer = parse_buffer_header(bytes_.subspan(offset));
    if (buffer && offset + buffer->size_bytes <= bytes_.size()) {
      if (buffer->type == BufferType::header && !open_epoch(offset, *buffer)) {
        ++damage_.undecodable_header_records;
      }
      add_buffer(offset, *buffer);
      offset += buffer->size_bytes;
      continue;
    }
    if (!unused_tail) unused_tail = find_unused_tail();
    if (offset >= *unused_tail) {
      unused_tail_bytes_ = bytes_.size() - offset;
      break;
    }
    if (buffer && offset + buffer->size_bytes > bytes_.size()) {
      ++damage_.truncated_buffers;
    } else {
      ++damage_.bad_buffer_headers;
    }
    std::uint64_t next = resynchronize(offset);
    damage_.skipped_bytes += next - offset;
    offset = next;
  }
  count_losses();
}

// The offset after the last byte that differs from the file's last byte; the file's size when the
// last byte is neither 0x00 nor 0xFF. It is computed once, so that damage cannot make indexing
// quadratic.
std::uint64_t TraceFile::find_unused_tail() const {
  std::uint8_t fill = bytes_.back();
  if (fill != 0 && fill != 0xFF) return bytes_.size();
  auto used = std::find_if(bytes_.rbegin(), bytes_.rend(),
                           [fill](std::uint8_t byte) { return byte != fill; });
  return bytes_.size() - static_cast<std::uint64_t>(used - bytes_.rbegin());
}

bool TraceFile::plausible_buffer_at(std::uint64_t offset) const {
  auto buffer = parse_buffer_header(bytes_.subspan(offset));
  const LogFileHeader& log = epochs_.back().header;
  return buffer && offset + buffer->size_bytes <= bytes_.size() &&
         buffer->size_bytes <= log.buffer_bytes && buffer->filled_bytes <= log.buffer_bytes &&
         buffer->type <= BufferType::debug_info && (buffer->flags & ~0x7F) == 0 &&
         buffer->state <= 6;
}

// The offset at which reading resumes after a damaged buffer header at `offset`. The buffers of an
// uncompressed file have one size; in a compressed file it searches for the next plausible header.
std::uint64_t TraceFile::resynchronize(std::uint64_t offset) {
  const LogFileHeader& log = epochs_.back().header;
  bool fixed_size = (log.mode & kModeCompressed) == 0;
  if (fixed_size && log.buffer_bytes >= kBufferHeaderBytes && log.buffer_bytes <= kMaxBufferBytes) {
    return std::min<std::uint64_t>(offset + log.buffer_bytes, bytes_.size());
  }
  for (std::uint64_t at = offset + 1; at + kBufferHeaderBytes <= bytes_.size(); ++at) {
    if (plausible_buffer_at(at)) return at;
  }
  return bytes_.size();
}

void TraceFile::count_losses() {
  std::vector<std::vector<std::uint64_t>> sequences(epochs_.size());
  for (const BufferRef& buffer : buffers_) {
    Epoch& epoch = epochs_[buffer.epoch];
    ++epoch.buffers;
    if (buffer.flags & kEventsLost) ++epoch.buffers_flagged_events_lost;
    if (buffer.flags & kBufferLost) ++epoch.buffers_flagged_buffer_lost;
    if (buffer.flags & kRealTimeBackupCorrupt) ++epoch.buffers_flagged_backup_corrupt;
    if (buffer.type != BufferType::header) sequences[buffer.epoch].push_back(buffer.sequence);
  }
  for (std::size_t i = 0; i < epochs_.size(); ++i) {
    Epoch& epoch = epochs_[i];
    epoch.closed_properly = epoch.header.end_filetime != 0 && epoch.header.buffers_written != 0;
    std::vector<std::uint64_t>& numbers = sequences[i];
    if (numbers.empty()) continue;
    std::sort(numbers.begin(), numbers.end());
    auto unique_end = std::unique(numbers.begin(), numbers.end());
    auto distinct = static_cast<std::uint64_t>(unique_end - numbers.begin());
    epoch.repeated_sequence_numbers = numbers.size() - distinct;
    std::uint64_t low = numbers.front();
    std::uint64_t high = numbers[distinct - 1];
    epoch.sequence_gaps = high - low + 1 - distinct;
    std::uint64_t before = low > 0 ? low - 1 : 0;
    if (epoch.header.mode & kModeCircular) {
      epoch.buffers_overwritten = before;
    } else {
      epoch.sequence_gaps += before;
    }
  }
}

Bytes load_buffer(const TraceFile& file, const BufferRef& buffer,
                  std::vector<std::uint8_t>& scratch) {
  Bytes stored = file.stored(buffer);
  if (!(buffer.flags & kCompressed)) return stored.first(buffer.filled_bytes);
  if (scratch.size() < buffer.filled_bytes) scratch.resize(buffer.filled_bytes);
  std::memcpy(scratch.data(), stored.data(), kBufferHeaderBytes);
  std::span<std::uint8_t> out(scratch.data() + kBufferHeaderBytes,
                              buffer.filled_bytes - kBufferHeaderBytes);
  CompressionFormat format = file.epochs()[buffer.epoch].header.compression;
  if (!decompress(format, stored.subspan(kBufferHeaderBytes), out)) return {};
  return Bytes(scratch.data(), buffer.filled_bytes);
}

}  // namespace tailgate::etl
