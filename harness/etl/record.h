// The records in a buffer, with eight kinds of headers, form one chain. RecordCursor walks the
// chain without copying; RecordHeader decodes the rest of a header on demand. Layouts:
// SYSTEM/COMPACT/PERFINFO/FULL/INSTANCE/EVENT/MESSAGE headers as documented by Geoff Chappell
// (NTWMI), evntrace.h and evntcons.h.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "harness/etl/buffer.h"
#include "harness/etl/bytes.h"
#include "harness/etl/guid.h"

namespace tailgate::etl {

enum class RecordKind : std::uint8_t {
  unknown,     // undocumented header type; only its size is known
  system,      // kernel event with thread, process and CPU times
  compact,     // the same without CPU times
  perf_info,   // kernel event without thread and process
  full,        // classic event, EVENT_TRACE_HEADER
  instance,    // EVENT_INSTANCE_GUID_HEADER
  event,       // EVENT_HEADER: manifest, EventSource, TraceLogging
  message,     // WPP
  ulong_time,  // marker 0xB0: a u32 and a time
  error,
};

std::string_view kind_name(RecordKind kind);

// A record in place. `data` points into the file or a decompressed buffer and is valid as long as
// that is.
struct Record {
  const std::uint8_t* data = nullptr;
  std::int64_t time = 0;           // raw session clock; a message without a time gets the previous
                                   // record's
  std::uint32_t size_bytes = 0;    // with its header, without alignment padding
  std::uint16_t header_bytes = 0;  // fixed part only
  std::uint16_t processor = 0;
  RecordKind kind = RecordKind::unknown;
  std::uint8_t pointer_bytes = 8;  // 4 or 8; it may differ from record to record
};

namespace detail {

struct HeaderShape {
  RecordKind kind = RecordKind::unknown;
  std::uint8_t header_bytes = 0;
  std::uint8_t size_at = 0;
  std::uint8_t time_at = 0;
  std::uint8_t pointer_bytes = 8;
};

constexpr std::array<HeaderShape, 256> header_shapes() {
  std::array<HeaderShape, 256> shapes{};
  shapes[0x01] = {RecordKind::system, 0x20, 4, 0x10, 4};
  shapes[0x02] = {RecordKind::system, 0x20, 4, 0x10, 8};
  shapes[0x03] = {RecordKind::compact, 0x18, 4, 0x10, 4};
  shapes[0x04] = {RecordKind::compact, 0x18, 4, 0x10, 8};
  shapes[0x0A] = {RecordKind::full, 0x30, 0, 0x10, 4};
  shapes[0x14] = {RecordKind::full, 0x30, 0, 0x10, 8};
  shapes[0x0B] = {RecordKind::instance, 0x48, 0, 0x10, 4};
  shapes[0x15] = {RecordKind::instance, 0x48, 0, 0x10, 8};
  shapes[0x0D] = {RecordKind::error, 0x18, 0, 0x10, 8};
  shapes[0x10] = {RecordKind::perf_info, 0x10, 4, 0x08, 4};
  shapes[0x11] = {RecordKind::perf_info, 0x10, 4, 0x08, 8};
  shapes[0x12] = {RecordKind::event, 0x50, 0, 0x10, 4};
  shapes[0x13] = {RecordKind::event, 0x50, 0, 0x10, 8};
  return shapes;
}

inline constexpr std::array<HeaderShape, 256> kHeaderShapes = header_shapes();

}  // namespace detail

// Walks the records of one buffer. An impossible record ends the walk, because nothing says where
// the next record begins.
class RecordCursor {
 public:
  RecordCursor() = default;
  // buffer: the buffer's header and its valid bytes, decompressed. `processor` is set in every
  // record.
  RecordCursor(Bytes buffer, std::uint16_t processor)
      : begin_(buffer.data()),
        size_(static_cast<std::uint32_t>(buffer.size())),
        position_(kBufferHeaderBytes),
        processor_(processor) {}

  // Fills `record` with the next record. Returns false at the end of the buffer; damaged() says
  // why.
  bool next(Record& record) {
    if (position_ + 8 > size_) return finish(position_ < size_ && !rest_is_fill());
    const std::uint8_t* at = begin_ + position_;
    auto marker = load<std::uint32_t>(at);
    // Most records are of the same kind as the one before. The guess lets the processor load the
    // size, and so find the next record, without waiting for this record's kind.
    if ((marker >> 16) != expected_marker_) {
      if ((marker >> 24) != 0xC0) return next_unusual(record, marker);
      shape_ = detail::kHeaderShapes[(marker >> 16) & 0xFF];
      expected_marker_ = marker >> 16;
      if (shape_.header_bytes == 0) return next_unknown(record, load<std::uint16_t>(at));
    }
    std::uint32_t size = load<std::uint16_t>(at + shape_.size_at);
    if (size < shape_.header_bytes || size > size_ - position_) return finish(true);
    record.data = at;
    record.time = load<std::int64_t>(at + shape_.time_at);
    record.size_bytes = size;
    record.header_bytes = shape_.header_bytes;
    record.processor = processor_;
    record.kind = shape_.kind;
    record.pointer_bytes = shape_.pointer_bytes;
    last_time_ = record.time;
    position_ += static_cast<std::uint32_t>(align8(size));
    return true;
  }

  // A fast path of next() for records of the same kind as the one before. Fills the records from
  // `to` up to `end` at most, calls `visit` with each time, and returns the end of the filled part.
  // Stops at any other record, which is left to next(). The loop is kept short on purpose.
  template <typename Visit>
  Record* next_of_same_kind(Record* to, const Record* end, Visit visit) {
    const detail::HeaderShape shape = shape_;
    Record record;
    record.header_bytes = shape.header_bytes;
    record.processor = processor_;
    record.kind = shape.kind;
    record.pointer_bytes = shape.pointer_bytes;
    record.time = last_time_;
    std::uint32_t position = position_;
    while (to != end && position + 8 <= size_) {
      const std::uint8_t* at = begin_ + position;
      if (load<std::uint16_t>(at + 2) != expected_marker_) break;
      std::uint32_t size = load<std::uint16_t>(at + shape.size_at);
      if (size < shape.header_bytes || size > size_ - position) break;
      record.data = at;
      record.time = load<std::int64_t>(at + shape.time_at);
      record.size_bytes = size;
      *to++ = record;
      visit(record.time);
      position += static_cast<std::uint32_t>(align8(size));
    }
    last_time_ = record.time;
    position_ = position;
    return to;
  }

  // Whether the chain ended at an impossible record. False as long as next() returns true.
  bool damaged() const { return damaged_; }
  // Offset of the next record, or of the damage, in the buffer.
  std::uint32_t position_bytes() const { return position_; }

 private:
  bool finish(bool damaged) {
    damaged_ = damaged_ || damaged;
    size_ = position_ < size_ ? position_ : size_;
    return false;
  }
  bool rest_is_fill() const;
  bool next_unusual(Record& record, std::uint32_t marker);
  bool next_unknown(Record& record, std::uint32_t size);
  bool next_message(Record& record);
  void accept(Record& record, std::uint32_t size, RecordKind kind);

  const std::uint8_t* begin_ = nullptr;
  std::int64_t last_time_ = 0;
  std::uint32_t size_ = 0;
  std::uint32_t position_ = 0;
  static constexpr std::uint32_t kNoMarker = 0xFFFFFFFF;

  std::uint32_t expected_marker_ = kNoMarker;  // upper half of the first word of the last record
  detail::HeaderShape shape_;                  // the layout of that kind
  std::uint16_t processor_ = 0;
  bool damaged_ = false;
};

// A decoded record header. Fields that the record's kind does not have keep the values given here.
struct RecordHeader {
  Guid provider;                     // class GUID for classic events; of the group for kernel
  Guid activity;                     // event kind only
  std::uint64_t keyword = 0;         // event kind only
  std::uint32_t process_id = kNoId;  // kNoId: the record does not say
  std::uint32_t thread_id = kNoId;
  std::uint32_t kernel_time_ticks = 0;  // the thread's accumulated CPU time, in timer ticks
  std::uint32_t user_time_ticks = 0;
  std::uint32_t instance_id = 0;
  std::uint32_t parent_instance_id = 0;
  std::uint16_t hook_id = 0;  // kernel events: group << 8 | type; else 0
  std::uint16_t id = 0;       // event: Id; message: message number
  std::uint16_t task = 0;
  std::uint16_t flags = 0;  // event: EVENT_HEADER_FLAG bits; message: option bits
  std::uint16_t version = 0;
  std::uint8_t opcode = 0;
  std::uint8_t level = 0;
  std::uint8_t channel = 0;
  Bytes counters;  // PMC values (u64 each) that precede a perf_info payload
  Bytes extended;  // extended data items, event kind with flag 1 only
  Bytes payload;
  bool extended_damaged = false;  // an item's size was impossible: payload is empty

  static constexpr std::uint32_t kNoId = 0xFFFFFFFF;

  bool is_kernel() const { return is_kernel_event; }
  bool is_kernel_event = false;
};

// Decodes the header of a record from RecordCursor.
RecordHeader decode_header(const Record& record);

// Whether the header says how much CPU time the thread had used. A private session's says another
// time in its place, and a session may leave the times out (EVENT_HEADER_FLAG_PRIVATE_SESSION and
// EVENT_HEADER_FLAG_NO_CPUTIME of evntcons.h).
bool has_cpu_times(const Record& record, const RecordHeader& header);

// The hook id (group << 8 | type) of a system, compact or perf_info record, read in place.
inline std::uint16_t hook_id(const Record& record) {
  return load<std::uint16_t>(record.data + 6);
}

// Extended data item types. Source: EVENT_HEADER_EXT_TYPE_* in evntcons.h.
enum class ExtendedType : std::uint16_t {
  related_activity_id = 0x01,
  sid = 0x02,
  terminal_session = 0x03,
  instance_info = 0x04,
  stack_trace32 = 0x05,
  stack_trace64 = 0x06,
  pebs_index = 0x07,
  pmc_counters = 0x08,
  psm_key = 0x09,
  event_key = 0x0A,
  tracelogging_schema = 0x0B,
  provider_traits = 0x0C,
  process_start_key = 0x0D,
  control_guid = 0x0E,
  qpc_delta = 0x0F,
  container_id = 0x10,
  stack_key32 = 0x11,
  stack_key64 = 0x12,
};

struct ExtendedItem {
  ExtendedType type{};
  Bytes data;
};

// Walks RecordHeader::extended; decode_header() has checked that chain.
class ExtendedCursor {
 public:
  explicit ExtendedCursor(Bytes items) : items_(items) {}
  bool next(ExtendedItem& item);

 private:
  Bytes items_;
};

// The first item of a type, or empty data when there is none.
Bytes find_extended(Bytes items, ExtendedType type);

}  // namespace tailgate::etl
