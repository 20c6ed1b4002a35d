#include "harness/etl/record.h"

#include "harness/etl/kernel_groups.h"

namespace tailgate::etl {
namespace {

constexpr std::uint32_t kMinUnknownBytes = 8;
constexpr std::uint32_t kUlongTimeBytes = 0x10;
constexpr std::uint16_t kPebsFollows = 0x8000;

// Options of a message record: TRACE_MESSAGE_* in evntrace.h.
constexpr std::uint16_t kMessageSequence = 0x01;
constexpr std::uint16_t kMessageGuid = 0x02;
constexpr std::uint16_t kMessageComponent = 0x04;
constexpr std::uint16_t kMessageTime = 0x08;
constexpr std::uint16_t kMessagePerformanceTime = 0x10;
constexpr std::uint16_t kMessageSystemInfo = 0x20;
constexpr std::uint16_t kMessagePointer32 = 0x40;
constexpr std::uint16_t kMessagePointer64 = 0x80;

constexpr std::uint16_t kFlagExtendedInfo = 0x01;
constexpr std::uint16_t kFlagPrivateSession = 0x02;  // the processor's time is in place of them
constexpr std::uint16_t kFlagNoCpuTime = 0x10;

void decode_kernel(const Record& record, RecordHeader& header) {
  const std::uint8_t* at = record.data;
  auto version = load<std::uint16_t>(at);
  header.version = version & 0xFF;
  header.opcode = at[6];
  header.hook_id = load<std::uint16_t>(at + 6);
  header.is_kernel_event = true;
  header.provider = kernel_group_guid(header.hook_id);
  std::uint32_t header_bytes = record.header_bytes;
  if (record.kind == RecordKind::perf_info) {
    std::uint32_t counters = (version & kPebsFollows) ? 1u : 0u;
    counters += (version >> 8) & 7u;
    std::uint32_t counters_bytes = counters * 8;
    if (header_bytes + counters_bytes > record.size_bytes) {
      counters_bytes = (record.size_bytes - header_bytes) & ~7u;
    }
    header.counters = Bytes(at + header_bytes, counters_bytes);
    header_bytes += counters_bytes;
  } else {
    header.thread_id = load<std::uint32_t>(at + 8);
    header.process_id = load<std::uint32_t>(at + 12);
    if (record.kind == RecordKind::system) {
      header.kernel_time_ticks = load<std::uint32_t>(at + 0x18);
      header.user_time_ticks = load<std::uint32_t>(at + 0x1C);
    }
  }
  header.payload = Bytes(at + header_bytes, record.size_bytes - header_bytes);
}

void decode_full(const Record& record, RecordHeader& header) {
  const std::uint8_t* at = record.data;
  header.opcode = at[4];
  header.level = at[5];
  header.version = load<std::uint16_t>(at + 6);
  header.thread_id = load<std::uint32_t>(at + 8);
  header.process_id = load<std::uint32_t>(at + 0x0C);
  header.provider = load_guid(at + 0x18);
  header.kernel_time_ticks = load<std::uint32_t>(at + 0x28);
  header.user_time_ticks = load<std::uint32_t>(at + 0x2C);
  if (record.kind == RecordKind::instance) {
    header.instance_id = load<std::uint32_t>(at + 0x30);
    header.parent_instance_id = load<std::uint32_t>(at + 0x34);
  }
  header.payload = Bytes(at + record.header_bytes, record.size_bytes - record.header_bytes);
}

// Splits the bytes after an EVENT_HEADER into its chain of extended items and its payload.
void split_extended(Bytes rest, RecordHeader& header) {
  std::size_t position = 0;
  bool more = true;
  while (more) {
    if (rest.size() - position < 8) {
      header.extended_damaged = true;
      return;
    }
    const std::uint8_t* item = rest.data() + position;
    std::size_t item_bytes = load<std::uint16_t>(item);
    std::size_t data_bytes = load<std::uint16_t>(item + 6);
    if (item_bytes < 8 + data_bytes || item_bytes > rest.size() - position) {
      header.extended_damaged = true;
      return;
    }
    more = (load<std::uint16_t>(item + 4) & 1) != 0;
    position += item_bytes;
  }
  header.extended = rest.first(position);
  header.payload = rest.subspan(position);
}

void decode_event(const Record& record, RecordHeader& header) {
  const std::uint8_t* at = record.data;
  header.flags = load<std::uint16_t>(at + 4);
  header.thread_id = load<std::uint32_t>(at + 8);
  header.process_id = load<std::uint32_t>(at + 0x0C);
  header.provider = load_guid(at + 0x18);
  header.id = load<std::uint16_t>(at + 0x28);
  header.version = at[0x2A];
  header.channel = at[0x2B];
  header.level = at[0x2C];
  header.opcode = at[0x2D];
  header.task = load<std::uint16_t>(at + 0x2E);
  header.keyword = load<std::uint64_t>(at + 0x30);
  header.kernel_time_ticks = load<std::uint32_t>(at + 0x38);
  header.user_time_ticks = load<std::uint32_t>(at + 0x3C);
  header.activity = load_guid(at + 0x40);
  Bytes rest(at + record.header_bytes, record.size_bytes - record.header_bytes);
  if (header.flags & kFlagExtendedInfo) {
    split_extended(rest, header);
  } else {
    header.payload = rest;
  }
}

// What a message record (WPP) contains before its arguments. Source: TRACE_MESSAGE_* in evntrace.h.
struct MessageLayout {
  std::uint16_t header_bytes = 0;  // 0: the options do not fit into the record
  std::uint16_t time_at = 0;       // 0: no time
  std::uint16_t guid_at = 0;       // 0: no GUID
  std::uint16_t component_at = 0;  // 0: no component id
  std::uint16_t sequence_at = 0;
  std::uint16_t system_at = 0;  // thread and process id; 0: none
};

MessageLayout message_layout(std::uint16_t options, std::uint32_t size_bytes) {
  MessageLayout layout;
  std::uint16_t at = 8;
  auto reserve = [&at](std::uint16_t bytes) {
    std::uint16_t start = at;
    at = static_cast<std::uint16_t>(at + bytes);
    return start;
  };
  if (options & kMessageSequence) layout.sequence_at = reserve(4);
  if (options & kMessageComponent) {
    layout.component_at = reserve(4);
  } else if (options & kMessageGuid) {
    layout.guid_at = reserve(16);
  }
  if (options & kMessageTime) {
    layout.time_at = reserve(8);
  } else if (options & kMessagePerformanceTime) {
    reserve(8);
  }
  if (options & kMessageSystemInfo) layout.system_at = reserve(8);
  if (at > size_bytes) return MessageLayout{};
  layout.header_bytes = at;
  return layout;
}

void decode_message(const Record& record, RecordHeader& header) {
  const std::uint8_t* at = record.data;
  header.id = load<std::uint16_t>(at + 4);
  header.flags = load<std::uint16_t>(at + 6);
  MessageLayout layout = message_layout(header.flags, record.size_bytes);
  if (layout.guid_at) header.provider = load_guid(at + layout.guid_at);
  if (layout.system_at) {
    header.thread_id = load<std::uint32_t>(at + layout.system_at);
    header.process_id = load<std::uint32_t>(at + layout.system_at + 4);
  }
  header.payload = Bytes(at + record.header_bytes, record.size_bytes - record.header_bytes);
}

}  // namespace

std::string_view kind_name(RecordKind kind) {
  static constexpr std::array<std::string_view, 10> kNames = {
      "unknown",  "system", "compact", "perf_info",  "full",
      "instance", "event",  "message", "ulong_time", "error"};
  return kNames[static_cast<std::size_t>(kind)];
}

bool RecordCursor::rest_is_fill() const {
  for (std::uint32_t i = position_; i < size_; ++i) {
    if (begin_[i] != 0xFF && begin_[i] != 0) return false;
  }
  return true;
}

void RecordCursor::accept(Record& record, std::uint32_t size, RecordKind kind) {
  record.data = begin_ + position_;
  record.size_bytes = size;
  record.processor = processor_;
  record.kind = kind;
  position_ += static_cast<std::uint32_t>(align8(size));
}

bool RecordCursor::next_unknown(Record& record, std::uint32_t size) {
  expected_marker_ = kNoMarker;
  if (size < kMinUnknownBytes || size > size_ - position_) return finish(true);
  record.time = last_time_;
  record.header_bytes = kMinUnknownBytes;
  record.pointer_bytes = 8;
  accept(record, size, RecordKind::unknown);
  return true;
}

bool RecordCursor::next_message(Record& record) {
  const std::uint8_t* at = begin_ + position_;
  std::uint32_t size = load<std::uint16_t>(at);
  if (size < 8 || size > size_ - position_) return finish(true);
  auto options = load<std::uint16_t>(at + 6);
  MessageLayout layout = message_layout(options, size);
  if (layout.header_bytes == 0) return finish(true);
  record.time = layout.time_at ? load<std::int64_t>(at + layout.time_at) : last_time_;
  record.header_bytes = layout.header_bytes;
  record.pointer_bytes = (options & kMessagePointer32) && !(options & kMessagePointer64) ? 4 : 8;
  last_time_ = record.time;
  accept(record, size, RecordKind::message);
  return true;
}

bool RecordCursor::next_unusual(Record& record, std::uint32_t marker) {
  if (marker == 0xFFFFFFFF || marker == 0) return finish(false);
  if ((marker >> 28) == 0x9) return next_message(record);
  if ((marker >> 24) != 0xB0) return finish(true);
  const std::uint8_t* at = begin_ + position_;
  std::uint32_t size = load<std::uint16_t>(at);
  if (size < kUlongTimeBytes || size > size_ - position_) return finish(true);
  record.time = load<std::int64_t>(at + 8);
  record.header_bytes = kUlongTimeBytes;
  record.pointer_bytes = 8;
  last_time_ = record.time;
  accept(record, size, RecordKind::ulong_time);
  return true;
}

bool has_cpu_times(const Record& record, const RecordHeader& header) {
  switch (record.kind) {
    case RecordKind::system:
    case RecordKind::full:
    case RecordKind::instance:
      return true;
    case RecordKind::event:
      return (header.flags & (kFlagPrivateSession | kFlagNoCpuTime)) == 0;
    default:
      return false;
  }
}

RecordHeader decode_header(const Record& record) {
  RecordHeader header;
  switch (record.kind) {
    case RecordKind::system:
    case RecordKind::compact:
    case RecordKind::perf_info:
      decode_kernel(record, header);
      break;
    case RecordKind::full:
    case RecordKind::instance:
      decode_full(record, header);
      break;
    case RecordKind::event:
      decode_event(record, header);
      break;
    case RecordKind::message:
      decode_message(record, header);
      break;
    case RecordKind::ulong_time:
    case RecordKind::error:
    case RecordKind::unknown:
      header.payload =
          Bytes(record.data + record.header_bytes, record.size_bytes - record.header_bytes);
      break;
  }
  return header;
}

bool ExtendedCursor::next(ExtendedItem& item) {
  if (items_.size() < 8) return false;
  std::size_t item_bytes = load<std::uint16_t>(items_.data());
  std::size_t data_bytes = load<std::uint16_t>(items_.data() + 6);
  item.type = static_cast<ExtendedType>(load<std::uint16_t>(items_.data() + 2));
  item.data = items_.subspan(8, data_bytes);
  items_ = items_.subspan(item_bytes);
  return true;
}

Bytes find_extended(Bytes items, ExtendedType type) {
  ExtendedCursor cursor(items);
  ExtendedItem item;
  while (cursor.next(item)) {
    if (item.type == type) return item.data;
  }
  return {};
}

}  // namespace tailgate::etl
