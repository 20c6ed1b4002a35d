#include "harness/etl/anonymize.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <span>
#include <vector>

#include "harness/base/error.h"
#include "harness/etl/new_file.h"
#include "harness/etl/trace_reader.h"

namespace tailgate::etl {
namespace {

using Writable = std::span<std::uint8_t>;

constexpr std::uint8_t kFill = 0xFF;  // of the unused part of a buffer

// Offsets in WMI_BUFFER_HEADER (buffer.h).
constexpr std::size_t kSizeAt = 0x00;
constexpr std::size_t kStateAt = 0x2C;
constexpr std::size_t kFilledAt = 0x30;
constexpr std::size_t kFlagsAt = 0x34;

const Guid& metadata_class() {
  static const Guid guid = *parse_guid("bbccf6c1-6cd1-48c4-80ff-839482e37671");
  return guid;
}
constexpr std::uint16_t kManifestId = 0xFFFE;

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

void scrub_text16(Writable text) {
  for (std::size_t at = 0; at + 2 <= text.size(); at += 2) {
    store(text.data() + at,
          static_cast<std::uint16_t>(scrubbed(load<std::uint16_t>(text.data() + at))));
  }
}

void clear(Writable bytes) {
  std::fill(bytes.begin(), bytes.end(), std::uint8_t{0});
}

// The id's parts behind the first, which say what machine or domain and which user.
void scrub_sid(Writable sid) {
  constexpr std::size_t kFirstPartEnd = 12;
  if (sid.size() > kFirstPartEnd) clear(sid.subspan(kFirstPartEnd));
}

bool is_shown(unsigned c) {
  return c >= 0x20 && c < 0x7F;
}

// Scrubs what looks like text: four characters in a row, of 8 or of 16 bits.
void scrub_runs(Writable bytes) {
  constexpr std::size_t kRun = 4;
  for (std::size_t width : {std::size_t{1}, std::size_t{2}}) {
    for (std::size_t offset = 0; offset < width; ++offset) {
      std::size_t from = offset;
      for (std::size_t at = offset;; at += width) {
        const bool shown =
            at + width <= bytes.size() && is_shown(bytes[at]) && (width == 1 || bytes[at + 1] == 0);
        if (shown) continue;
        if (at - from >= kRun * width) {
          const Writable run = bytes.subspan(from, at - from);
          width == 1 ? scrub_text8(run) : scrub_text16(run);
        }
        if (at + width > bytes.size()) break;
        from = at + width;
      }
    }
  }
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
    bytes_.resize(end);
    return records;
  }

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

  void scrub_record(const Record& record, Decoder& decoder) {
    decoder.decode(record, event_);
    const RecordHeader& header = event_.header;
    scrub_extended(header.extended);
    scrub_runs(writable(header.counters));  // text, if the record is damaged
    const bool is_schema = header.provider == metadata_class() ||
                           (record.kind == RecordKind::event && header.id == kManifestId);
    if (is_schema) return;
    if (event_.schema != nullptr && event_.schema->packed) return clear(writable(header.payload));
    scrub_payload(header.payload);
    if (record.kind == RecordKind::unknown || record.kind == RecordKind::error) {
      scrub_runs(writable({record.data + record.header_bytes,
                           std::size_t{record.size_bytes} - record.header_bytes}));
    }
  }

  // Fields by their types; what is between and behind them by its looks: a payload may have more
  // than its schema says, such as what an earlier text left behind a shorter one.
  void scrub_payload(Bytes payload) {
    std::size_t done = 0;
    for (const Field& field : event_.fields) {
      const Writable data = writable(field.data);
      if (field.kind != Field::Kind::value || data.empty()) continue;
      const auto from = static_cast<std::size_t>(field.data.data() - payload.data());
      if (from > done) scrub_runs(writable(payload.subspan(done, from - done)));
      done = std::max(done, from + data.size());
      if (is_header_ && field.name == "LogFileMode") drop_compression(data);
      scrub_field(field, data);
    }
    scrub_runs(writable(payload.subspan(std::min(done, payload.size()))));
  }

  static void drop_compression(Writable mode) {
    if (mode.size() != 4) return;
    store(mode.data(), load<std::uint32_t>(mode.data()) & ~kModeCompressed);
  }

  void scrub_extended(Bytes items) {
    ExtendedCursor cursor(items);
    ExtendedItem item;
    while (cursor.next(item)) {
      switch (item.type) {
        case ExtendedType::sid:
          scrub_sid(writable(item.data));
          break;
        case ExtendedType::container_id:
        case ExtendedType::psm_key:
          clear(writable(item.data));
          break;
        default:
          break;
      }
    }
  }

  std::vector<std::uint8_t> bytes_;
  std::uint16_t processor_ = 0;
  bool is_header_ = false;
  bool is_known_ = true;  // its payload is records
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
    BufferCopy copy(file, buffer);
    const Epoch& epoch = file.epochs()[buffer.epoch];
    if (copy.empty()) {
      ++counts.buffers_unreadable;
      continue;
    }
    const std::uint64_t size =
        std::max<std::uint64_t>(epoch.header.buffer_bytes, buffer.filled_bytes);
    const bool has_room = options.max_bytes == 0 || counts.bytes + size <= options.max_bytes;
    if (!copy.is_header() && (!has_room || !is_in_time(copy, epoch.clock, options))) {
      ++counts.buffers_left_out;
      continue;
    }
    counts.records += copy.scrub(decoder);
    const auto& bytes = copy.finished(epoch.header.buffer_bytes);
    out.write(reinterpret_cast<const char*>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
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
