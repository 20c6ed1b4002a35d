#include "harness/etl/anonymize.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <span>
#include <vector>

#include "harness/base/error.h"
#include "harness/etl/new_file.h"
#include "harness/etl/schema_records.h"
#include "harness/etl/trace_reader.h"
#include "harness/os/process.h"

namespace tailgate::etl {
namespace {

using Writable = std::span<std::uint8_t>;

constexpr std::uint8_t kFill = 0xFF;  // of the unused part of a buffer

// Offsets in WMI_BUFFER_HEADER (buffer.h).
constexpr std::size_t kSizeAt = 0x00;
constexpr std::size_t kStateAt = 0x2C;
constexpr std::size_t kFilledAt = 0x30;
constexpr std::size_t kFlagsAt = 0x34;

template <typename T>
void store(std::uint8_t* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

bool is_letter(unsigned c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80;
}

unsigned scrubbed(unsigned c) {
  if (is_letter(c)) return 'x';
  return c >= '0' && c <= '9' ? '0' : c;
}

void scrub_text8(Writable text) {
  for (std::uint8_t& c : text) c = static_cast<std::uint8_t>(scrubbed(c));
}

void clear(Writable bytes) {
  std::fill(bytes.begin(), bytes.end(), std::uint8_t{0});
}

void scrub_text16(Writable text) {
  clear(text.last(text.size() % 2));
  for (std::size_t at = 0; at + 2 <= text.size(); at += 2) {
    store(text.data() + at,
          static_cast<std::uint16_t>(scrubbed(load<std::uint16_t>(text.data() + at))));
  }
}

// The id's parts behind the first, which say what machine or domain and which user.
void scrub_sid(Writable sid) {
  constexpr std::size_t kFirstPartEnd = 12;
  if (sid.size() > kFirstPartEnd) clear(sid.subspan(kFirstPartEnd));
}

void scrub_number(const Field& field, Writable data) {
  switch (field.format) {
    case ValueFormat::string:
      return data.size() == 2 ? scrub_text16(data) : scrub_text8(data);
    case ValueFormat::ipv4:
    case ValueFormat::ipv6:
    case ValueFormat::socket_address:
      return clear(data);
    default:
      break;
  }
  if (field.name == "PhysicalAddr") clear(data);  // of a network card
}

void scrub_field(const Field& field, Writable data) {
  switch (field.type) {
    case ValueType::utf16:
    case ValueType::counted_utf16:
    case ValueType::counted_utf16_big:
    case ValueType::rest_utf16:
      return scrub_text16(data);
    case ValueType::ansi:
    case ValueType::counted_ansi:
    case ValueType::counted_ansi_big:
    case ValueType::rest_ansi:
      return scrub_text8(data);
    case ValueType::sid:
    case ValueType::token_sid:
      return scrub_sid(data);
    case ValueType::binary:
    case ValueType::counted_binary:
    case ValueType::rest_binary:
    case ValueType::hexdump:
    case ValueType::guid:
    case ValueType::ipv6:
      return clear(data);
    default:
      return scrub_number(field, data);
  }
}

// The bytes in front of a field's data that say how long it is, or that there is any.
std::size_t prefix_bytes(ValueType type, unsigned pointer_bytes) {
  switch (type) {
    case ValueType::counted_utf16:
    case ValueType::counted_utf16_big:
    case ValueType::counted_ansi:
    case ValueType::counted_ansi_big:
    case ValueType::counted_binary:
      return 2;
    case ValueType::hexdump:
      return 4;
    case ValueType::token_sid:
      return 2 * std::size_t{pointer_bytes};
    default:
      return 0;
  }
}

// The number of elements of the array that begins there.
std::size_t elements_of(std::span<const Field> array) {
  std::size_t elements = 0;
  int depth = 0;
  for (const Field& field : array) {
    const bool begins =
        field.kind == Field::Kind::begin_array || field.kind == Field::Kind::begin_structure;
    if (depth == 1 && (begins || field.kind == Field::Kind::value)) ++elements;
    if (begins) ++depth;
    if (!begins && field.kind != Field::Kind::value && --depth == 0) break;
  }
  return elements;
}

// How much of an extended item stays. Sources of the sizes: evntcons.h.
std::size_t kept_bytes(const ExtendedItem& item) {
  const std::size_t size = item.data.size();
  switch (item.type) {
    case ExtendedType::terminal_session:
      return std::min<std::size_t>(size, 4);
    case ExtendedType::pebs_index:
    case ExtendedType::event_key:
    case ExtendedType::process_start_key:
    case ExtendedType::qpc_delta:
      return std::min<std::size_t>(size, 8);
    case ExtendedType::related_activity_id:
    case ExtendedType::control_guid:
      return std::min<std::size_t>(size, 16);
    case ExtendedType::instance_info:
      return std::min<std::size_t>(size, 24);
    case ExtendedType::stack_trace32:
    case ExtendedType::stack_trace64:
    case ExtendedType::stack_key32:
    case ExtendedType::stack_key64:
    case ExtendedType::pmc_counters:
    case ExtendedType::sid:  // scrubbed
      return size;
    case ExtendedType::tracelogging_schema:
    case ExtendedType::provider_traits:
      // Their first two bytes are their size.
      return size < 2 ? 0 : std::min<std::size_t>(size, load<std::uint16_t>(item.data.data()));
    default:
      return 0;
  }
}

// One buffer that becomes that of the copy.
class BufferCopy {
 public:
  // The buffer decompressed; empty when that fails.
  BufferCopy(const TraceFile& file, const BufferRef& buffer) {
    std::vector<std::uint8_t> scratch;
    const Bytes loaded = load_buffer(file, buffer, scratch);
    bytes_.assign(loaded.begin(), loaded.end());
    is_header_ = buffer.type == BufferType::header;
    processor_ = buffer.processor;
    is_known_ = buffer.type != BufferType::debug_info && buffer.type != BufferType::empty_marker;
  }

  bool is_header() const { return is_header_; }
  bool empty() const { return bytes_.size() < kBufferHeaderBytes; }

  // The times of the first and the last record; false without a record.
  bool times(std::int64_t& first, std::int64_t& last) const {
    RecordCursor cursor(bytes_, processor_);
    Record record;
    bool any = false;
    while (cursor.next(record)) {
      first = any ? std::min(first, record.time) : record.time;
      last = any ? std::max(last, record.time) : record.time;
      any = true;
    }
    return any;
  }

  // Returns the number of records. What follows a damaged record is cut off.
  std::uint64_t scrub(Decoder& decoder) {
    RecordCursor cursor(bytes_, processor_);
    Record record;
    std::uint64_t records = 0;
    std::size_t end = kBufferHeaderBytes;
    while (is_known_ && cursor.next(record)) {
      ++records;
      const auto from = static_cast<std::size_t>(record.data - bytes_.data());
      end = from + record.size_bytes;
      // The bytes between records are not of any record.
      const std::size_t padded = std::min<std::size_t>(align8(end), bytes_.size());
      clear(Writable(bytes_).subspan(end, padded - end));
      scrub_record(record, decoder);
    }
    if (cursor.damaged()) cut_bytes_ = bytes_.size() - end;
    bytes_.resize(end);
    return records;
  }

  std::uint64_t cut_bytes() const { return cut_bytes_; }

  // The buffer as it is written: of one size, not compressed.
  const std::vector<std::uint8_t>& finished(std::uint32_t buffer_bytes) {
    const auto filled = static_cast<std::uint32_t>(bytes_.size());
    const auto size = std::max<std::uint32_t>(buffer_bytes, filled);
    bytes_.resize(size, kFill);
    std::uint8_t* at = bytes_.data();
    store(at + kSizeAt, size);
    store(at + kFilledAt, filled);
    store(at + kFlagsAt,
          static_cast<std::uint16_t>(load<std::uint16_t>(at + kFlagsAt) & ~kCompressed));
    if (is_header_) store(at + kStateAt, std::uint32_t{0});
    return bytes_;
  }

 private:
  // Where the bytes are, to write to them; empty when they are not in this buffer.
  Writable writable(Bytes bytes) {
    const bool inside = bytes.data() >= bytes_.data() &&
                        bytes.data() + bytes.size() <= bytes_.data() + bytes_.size();
    if (bytes.empty() || !inside) return {};
    return Writable(bytes_).subspan(static_cast<std::size_t>(bytes.data() - bytes_.data()),
                                    bytes.size());
  }

  // Clears what is behind what was kept last, up to there.
  void clear_until(const std::uint8_t* at) {
    if (at > kept_end_) clear(writable({kept_end_, at}));
  }

  // Keeps bytes that may still be scrubbed; clears those between them and what was kept last.
  Writable keep(Bytes bytes) {
    const Writable kept = writable(bytes);
    if (kept.empty()) return {};
    clear_until(bytes.data());
    kept_end_ = std::max(kept_end_, bytes.data() + bytes.size());
    return kept;
  }

  void scrub_record(const Record& record, Decoder& decoder) {
    decoder.decode(record, event_);
    const RecordHeader& header = event_.header;
    kept_end_ = record.data + record.header_bytes;
    keep_extended(header.extended);
    keep(header.counters);
    if (describes_events(record, header)) {
      keep(header.payload);
    } else if (event_.schema != nullptr && !event_.schema->packed) {
      keep_fields(header.payload, record.pointer_bytes);
    }
    clear_until(record.data + record.size_bytes);
  }

  // A payload may have more than its schema says, such as what an earlier text left behind a
  // shorter one.
  void keep_fields(Bytes payload, unsigned pointer_bytes) {
    const std::span<const Field> fields = event_.fields;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const Field& field = fields[i];
      if (field.kind == Field::Kind::begin_array) keep_count(fields.subspan(i), pointer_bytes);
      if (field.kind != Field::Kind::value || field.data.empty()) continue;
      const auto from = static_cast<std::size_t>(field.data.data() - payload.data());
      const std::size_t prefix = std::min(from, prefix_bytes(field.type, pointer_bytes));
      keep(payload.subspan(from - prefix, prefix));
      const Writable data = keep(field.data);
      if (is_header_ && field.name == "LogFileMode") drop_compression(data);
      scrub_field(field, data);
    }
  }

  // Keeps the count of the array that begins there, which may be in front of its first value.
  void keep_count(std::span<const Field> array, unsigned pointer_bytes) {
    const auto first = std::find_if(array.begin(), array.end(), [](const Field& field) {
      return field.kind == Field::Kind::value || field.kind == Field::Kind::end_array;
    });
    if (first == array.end() || first->data.data() == nullptr) return;
    const std::size_t back = 2 + prefix_bytes(first->type, pointer_bytes);
    if (first->data.data() < kept_end_ + back) return;
    const std::uint8_t* at = first->data.data() - back;
    if (load<std::uint16_t>(at) == elements_of(array)) keep({at, 2});
  }

  static void drop_compression(Writable mode) {
    if (mode.size() != 4) return;
    store(mode.data(), load<std::uint32_t>(mode.data()) & ~kModeCompressed);
  }

  void keep_extended(Bytes items) {
    constexpr std::size_t kItemHeaderBytes = 8;
    if (items.empty()) return;
    ExtendedCursor cursor(items);
    ExtendedItem item;
    while (cursor.next(item)) {
      keep({item.data.data() - kItemHeaderBytes, kItemHeaderBytes});
      const Writable data = keep(item.data.first(kept_bytes(item)));
      if (item.type == ExtendedType::sid) scrub_sid(data);
    }
    clear_until(items.data() + items.size());
    kept_end_ = items.data() + items.size();
  }

  std::vector<std::uint8_t> bytes_;
  std::uint16_t processor_ = 0;
  bool is_header_ = false;
  bool is_known_ = true;                    // its payload is records
  const std::uint8_t* kept_end_ = nullptr;  // of the record: what is behind it is not cleared yet
  std::uint64_t cut_bytes_ = 0;
  DecodedEvent event_;
};

bool is_in_time(const BufferCopy& copy, const SessionClock& clock,
                const AnonymizeOptions& options) {
  if (copy.is_header() || (!options.from_ms && !options.to_ms)) return true;
  std::int64_t first = 0;
  std::int64_t last = 0;
  if (!copy.times(first, last)) return false;
  const auto ms = [&clock](std::int64_t raw) {
    return static_cast<double>(clock.elapsed_ns(raw)) / 1e6;
  };
  return (!options.from_ms || ms(last) >= *options.from_ms) &&
         (!options.to_ms || ms(first) <= *options.to_ms);
}

}  // namespace

AnonymizeCounts anonymize(const TraceFile& file, Decoder& decoder, const AnonymizeOptions& options,
                          const std::filesystem::path& path, bool replace) {
  NewFile target(path, replace);
  std::ofstream out(target.temporary(), std::ios::binary);
  AnonymizeCounts counts;
  for (const BufferRef& buffer : file.buffers()) {
    if (InterruptFlag::raised()) return {};
    BufferCopy copy(file, buffer);
    const Epoch& epoch = file.epochs()[buffer.epoch];
    if (copy.empty()) {
      ++counts.buffers_unreadable;
      continue;
    }
    // A damaged header may claim more than any buffer has.
    const std::uint32_t buffer_bytes = std::min(epoch.header.buffer_bytes, kMaxBufferBytes);
    const std::uint64_t size = std::max(buffer_bytes, buffer.filled_bytes);
    const bool has_room = options.max_bytes == 0 || counts.bytes + size <= options.max_bytes;
    if (!copy.is_header() && (!has_room || !is_in_time(copy, epoch.clock, options))) {
      ++counts.buffers_left_out;
      continue;
    }
    counts.records += copy.scrub(decoder);
    counts.cut_bytes += copy.cut_bytes();
    const auto& bytes = copy.finished(buffer_bytes);
    out.write(reinterpret_cast<const char*>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
    if (!out) break;
    ++counts.buffers;
    counts.bytes += bytes.size();
  }
  out.close();
  if (!out) {
    throw Error(fmt::format("cannot write '{}'", path.string()),
                "name a file with --out that you may write to, on a disk with free space");
  }
  target.complete();
  return counts;
}

}  // namespace tailgate::etl
