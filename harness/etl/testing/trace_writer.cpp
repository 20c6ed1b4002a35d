#include "harness/etl/testing/trace_writer.h"

#include <stdexcept>

#include "harness/etl/testing/compress.h"

namespace tailgate::etl {
namespace {

constexpr std::size_t kHeaderBytes = 0x48;

std::size_t padded(std::size_t size) {
  return (size + 7) / 8 * 8;
}

void store16(std::vector<std::uint8_t>& bytes, std::size_t at, std::size_t value) {
  bytes[at] = static_cast<std::uint8_t>(value);
  bytes[at + 1] = static_cast<std::uint8_t>(value >> 8);
}

}  // namespace

ByteBuilder& ByteBuilder::put(std::uint64_t value, unsigned size) {
  for (unsigned i = 0; i < size; ++i) {
    bytes_.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
  }
  return *this;
}

ByteBuilder& ByteBuilder::text8(std::string_view text) {
  bytes_.insert(bytes_.end(), text.begin(), text.end());
  return u8(0);
}

ByteBuilder& ByteBuilder::text16(std::string_view text) {
  for (char c : text) u16(static_cast<unsigned char>(c));
  return u16(0);
}

ByteBuilder& ByteBuilder::raw(Bytes bytes) {
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  return *this;
}

ByteBuilder& ByteBuilder::zeros(std::size_t count) {
  bytes_.insert(bytes_.end(), count, 0);
  return *this;
}

std::vector<std::uint8_t> system_record(const KernelRecord& record) {
  ByteBuilder b;
  b.u16(record.version).u8(record.pointer_bytes == 8 ? 2 : 1).u8(0xC0);
  b.u16(static_cast<unsigned>(0x20 + record.payload.size())).u16(record.hook_id);
  b.u32(record.thread).u32(record.process).u64(static_cast<std::uint64_t>(record.time));
  b.u32(11).u32(12).raw(record.payload);
  return b.bytes();
}

std::vector<std::uint8_t> compact_record(const KernelRecord& record) {
  ByteBuilder b;
  b.u16(record.version).u8(record.pointer_bytes == 8 ? 4 : 3).u8(0xC0);
  b.u16(static_cast<unsigned>(0x18 + record.payload.size())).u16(record.hook_id);
  b.u32(record.thread).u32(record.process).u64(static_cast<std::uint64_t>(record.time));
  b.raw(record.payload);
  return b.bytes();
}

std::vector<std::uint8_t> perf_info_record(const KernelRecord& record,
                                           const std::vector<std::uint64_t>& counters) {
  ByteBuilder b;
  b.u16(record.version | static_cast<unsigned>(counters.size()) << 8);
  b.u8(record.pointer_bytes == 8 ? 0x11 : 0x10).u8(0xC0);
  b.u16(static_cast<unsigned>(0x10 + 8 * counters.size() + record.payload.size()));
  b.u16(record.hook_id).u64(static_cast<std::uint64_t>(record.time));
  for (std::uint64_t counter : counters) b.u64(counter);
  b.raw(record.payload);
  return b.bytes();
}

namespace {

ByteBuilder classic_head(const ClassicRecord& record, unsigned type, std::size_t head_bytes) {
  ByteBuilder b;
  b.u16(static_cast<unsigned>(head_bytes + record.payload.size())).u8(type).u8(0xC0);
  b.u8(record.opcode).u8(0).u16(record.version).u32(record.thread).u32(record.process);
  b.u64(static_cast<std::uint64_t>(record.time)).guid(record.event_class).u32(0).u32(0);
  return b;
}

}  // namespace

std::vector<std::uint8_t> full_record(const ClassicRecord& record) {
  ByteBuilder b = classic_head(record, record.pointer_bytes == 8 ? 0x14 : 0x0A, 0x30);
  return b.raw(record.payload).bytes();
}

std::vector<std::uint8_t> instance_record(const ClassicRecord& record, std::uint32_t instance,
                                          std::uint32_t parent) {
  ByteBuilder b = classic_head(record, record.pointer_bytes == 8 ? 0x15 : 0x0B, 0x48);
  b.u32(instance).u32(parent).guid(record.event_class);
  return b.raw(record.payload).bytes();
}

std::vector<std::uint8_t> event_record(const EventRecord& record) {
  ByteBuilder items;
  for (std::size_t i = 0; i < record.extended.size(); ++i) {
    const auto& [type, data] = record.extended[i];
    std::size_t size = padded(8 + data.size());
    items.u16(static_cast<unsigned>(size)).u16(type);
    items.u16(i + 1 < record.extended.size() ? 1 : 0).u16(static_cast<unsigned>(data.size()));
    items.raw(data).zeros(size - 8 - data.size());
  }
  ByteBuilder b;
  b.u16(static_cast<unsigned>(0x50 + items.bytes().size() + record.payload.size()));
  b.u8(record.pointer_bytes == 8 ? 0x13 : 0x12).u8(0xC0);
  b.u16(record.flags | (record.extended.empty() ? 0u : 1u)).u16(0);
  b.u32(record.thread).u32(record.process).u64(static_cast<std::uint64_t>(record.time));
  b.guid(record.provider).u16(record.id).u8(record.version).u8(11).u8(record.level);
  b.u8(record.opcode).u16(record.task).u64(record.keyword).u32(1).u32(2).guid(record.activity);
  return b.raw(items.bytes()).raw(record.payload).bytes();
}

std::vector<std::uint8_t> message_record(const MessageRecord& record) {
  ByteBuilder b;
  b.u16(0).u8(0x0F).u8(0x90).u16(record.number).u16(record.options);
  if (record.options & 0x01) b.u32(77);
  if (record.options & 0x04) {
    b.u32(99);
  } else if (record.options & 0x02) {
    b.guid(record.guid);
  }
  if (record.options & 0x08) b.u64(static_cast<std::uint64_t>(record.time));
  if (record.options & 0x20) b.u32(record.thread).u32(record.process);
  b.raw(record.arguments);
  std::vector<std::uint8_t> bytes = b.bytes();
  store16(bytes, 0, bytes.size());
  return bytes;
}

std::vector<std::uint8_t> context_switch_record(std::int64_t time, std::uint32_t new_thread,
                                                std::uint32_t old_thread, std::uint8_t old_state,
                                                std::uint8_t old_wait_reason) {
  KernelRecord record;
  record.hook_id = 0x0524;
  record.time = time;
  ByteBuilder b;
  b.u32(new_thread).u32(old_thread).u8(8).u8(8).u8(0).u8(0);
  b.u8(old_wait_reason).u8(1).u8(old_state).u8(0);
  record.payload = b.u32(0).u32(0).bytes();
  return perf_info_record(record);
}

void TraceWriter::add(std::uint16_t processor, const std::vector<std::uint8_t>& record) {
  Buffer* buffer = &open_[processor];
  if (kHeaderBytes + buffer->records.size() + padded(record.size()) > options_.buffer_bytes) {
    if (buffer->records.empty()) throw std::logic_error("the record is larger than a buffer");
    flush(processor);
    buffer = &open_[processor];
  }
  if (buffer->sequence == 0) buffer->sequence = next_sequence_++;
  buffer->records.insert(buffer->records.end(), record.begin(), record.end());
  buffer->records.resize(padded(buffer->records.size()), 0xCD);
}

std::vector<std::uint8_t> TraceWriter::finished(const Buffer& buffer, std::uint16_t processor,
                                                std::uint16_t flags, std::uint16_t type,
                                                std::uint64_t sequence) const {
  bool packed = options_.compression != CompressionFormat::none && type != 4;
  std::vector<std::uint8_t> body =
      packed ? compress(options_.compression, buffer.records) : buffer.records;
  std::size_t filled = kHeaderBytes + buffer.records.size();
  std::size_t size = packed ? kHeaderBytes + body.size() : options_.buffer_bytes;
  if (options_.compression != CompressionFormat::none && type == 4) size = filled;
  unsigned all_flags = flags | (packed ? 0x40u : 0u) | (options_.wide_processor_numbers ? 0x20 : 0);
  unsigned state = type == 4 && options_.compression != CompressionFormat::none
                       ? static_cast<unsigned>(options_.compression)
                       : 3;
  ByteBuilder b;
  b.u32(size).u32(filled).u32(filled).u32(0).u64(0).u64(sequence).u64(0);
  if (options_.wide_processor_numbers) {
    b.u16(processor);
  } else {
    b.u8(processor).u8(0);
  }
  b.u16(7).u32(state).u32(filled).u16(all_flags).u16(type).zeros(16).raw(body);
  std::vector<std::uint8_t> bytes = b.bytes();
  bytes.resize(size, 0xFF);
  return bytes;
}

void TraceWriter::flush(std::uint16_t processor, std::uint16_t flags) {
  auto at = open_.find(processor);
  if (at == open_.end()) return;
  buffers_.push_back(finished(at->second, processor, flags, 0, at->second.sequence));
  open_.erase(at);
}

void TraceWriter::flush_all() {
  while (!open_.empty()) flush(open_.begin()->first);
}

std::vector<std::uint8_t> TraceWriter::header_buffer(std::size_t buffers) const {
  const WriterOptions& o = options_;
  unsigned p = o.pointer_bytes;
  ByteBuilder b;
  b.u32(o.buffer_bytes).u8(10).u8(0).u8(o.compression == CompressionFormat::none ? 1 : 2).u8(5);
  b.u32(19045).u32(o.processors);
  b.u64(o.closed_properly ? static_cast<std::uint64_t>(o.end_filetime) : 0).u32(156250).u32(0);
  std::uint32_t mode = o.mode | (o.compression == CompressionFormat::none ? 0u : kModeCompressed);
  b.u32(mode).u32(o.closed_properly ? buffers : 0).u32(1).u32(p).u32(o.events_lost);
  b.u32(o.cpu_mhz).pointer(0, p).pointer(0, p);
  b.u32(static_cast<std::uint32_t>(-60)).zeros(0xAC - 4 + 4);  // time zone, padding to 8
  b.u64(static_cast<std::uint64_t>(o.boot_filetime)).u64(static_cast<std::uint64_t>(o.clock_hz));
  b.u64(static_cast<std::uint64_t>(o.start_filetime)).u32(o.clock_type).u32(o.buffers_lost);
  b.text16(o.session_name).text16("C:\\test.etl");
  KernelRecord record;
  record.time = o.start_raw;
  record.thread = 44;
  record.process = 4;
  record.payload = b.bytes();
  record.pointer_bytes = p;
  Buffer buffer;
  buffer.records = system_record(record);
  buffer.records.resize(padded(buffer.records.size()), 0);
  return finished(buffer, 0, 0, 4, 0);
}

std::vector<std::uint8_t> TraceWriter::file(std::size_t first, bool drop_before) {
  flush_all();
  std::size_t kept = drop_before ? buffers_.size() - first : buffers_.size();
  std::vector<std::uint8_t> bytes = header_buffer(kept + 1);
  auto append = [&bytes](const std::vector<std::uint8_t>& buffer) {
    bytes.insert(bytes.end(), buffer.begin(), buffer.end());
  };
  for (std::size_t i = first; i < buffers_.size(); ++i) append(buffers_[i]);
  for (std::size_t i = 0; i < first && !drop_before; ++i) append(buffers_[i]);
  return bytes;
}

MetadataBuilder::MetadataBuilder(std::string_view event_name) {
  builder_.u8(0).text8(event_name);
}

MetadataBuilder& MetadataBuilder::field(std::string_view name, unsigned in_type, int out_type) {
  builder_.text8(name).u8(in_type | (out_type >= 0 ? 0x80u : 0u));
  if (out_type >= 0) builder_.u8(static_cast<unsigned>(out_type));
  return *this;
}

MetadataBuilder& MetadataBuilder::fixed_count(unsigned count) {
  builder_.u16(count);
  return *this;
}

std::vector<std::uint8_t> MetadataBuilder::bytes() const {
  ByteBuilder whole;
  whole.u16(static_cast<unsigned>(builder_.bytes().size() + 2)).raw(builder_.bytes());
  return whole.bytes();
}

std::vector<std::uint8_t> provider_traits(std::string_view name) {
  ByteBuilder b;
  return b.u16(static_cast<unsigned>(name.size() + 3)).text8(name).bytes();
}

}  // namespace tailgate::etl
