// Writes traces with known content, for tests and benchmarks: every record kind, 32 and 64 bit,
// compressed, circular, appended, with many processors. It follows the same sources as the reader
// but shares no code with it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/etl/guid.h"
#include "harness/etl/log_header.h"

namespace tailgate::etl {

// Builds bytes field by field, little endian.
class ByteBuilder {
 public:
  ByteBuilder& u8(unsigned value) { return put(value, 1); }
  ByteBuilder& u16(unsigned value) { return put(value, 2); }
  ByteBuilder& u32(std::uint64_t value) { return put(value, 4); }
  ByteBuilder& u64(std::uint64_t value) { return put(value, 8); }
  ByteBuilder& pointer(std::uint64_t value, unsigned pointer_bytes) {
    return put(value, pointer_bytes);
  }
  ByteBuilder& guid(const Guid& value) { return raw({value.bytes.data(), 16}); }
  ByteBuilder& text8(std::string_view text);   // with NUL
  ByteBuilder& text16(std::string_view text);  // ASCII, as UTF-16 with NUL
  ByteBuilder& raw(Bytes bytes);
  ByteBuilder& zeros(std::size_t count);
  const std::vector<std::uint8_t>& bytes() const { return bytes_; }

 private:
  ByteBuilder& put(std::uint64_t value, unsigned size);
  std::vector<std::uint8_t> bytes_;
};

struct KernelRecord {
  std::uint16_t hook_id = 0;
  std::uint8_t version = 2;
  std::int64_t time = 0;
  std::uint32_t thread = 0;
  std::uint32_t process = 0;
  std::vector<std::uint8_t> payload;
  unsigned pointer_bytes = 8;
};

struct ClassicRecord {
  Guid event_class;
  std::uint8_t opcode = 0;
  std::uint16_t version = 0;
  std::int64_t time = 0;
  std::uint32_t thread = 0;
  std::uint32_t process = 0;
  std::vector<std::uint8_t> payload;
  unsigned pointer_bytes = 8;
};

struct EventRecord {
  Guid provider;
  std::uint16_t id = 0;
  std::uint8_t version = 0;
  std::uint8_t opcode = 0;
  std::uint8_t level = 4;
  std::uint16_t task = 0;
  std::uint16_t flags = 0;
  std::uint64_t keyword = 0;
  std::int64_t time = 0;
  std::uint32_t thread = 0;
  std::uint32_t process = 0;
  Guid activity;
  std::vector<std::pair<std::uint16_t, std::vector<std::uint8_t>>> extended;  // type, data
  std::vector<std::uint8_t> payload;
  unsigned pointer_bytes = 8;
};

struct MessageRecord {
  Guid guid;
  std::uint16_t number = 0;
  std::uint16_t options = 0x2A;  // GUID, time, system information
  std::int64_t time = 0;
  std::uint32_t thread = 0;
  std::uint32_t process = 0;
  std::vector<std::uint8_t> arguments;
};

std::vector<std::uint8_t> system_record(const KernelRecord& record);
std::vector<std::uint8_t> compact_record(const KernelRecord& record);
std::vector<std::uint8_t> perf_info_record(const KernelRecord& record,
                                           const std::vector<std::uint64_t>& counters = {});
std::vector<std::uint8_t> full_record(const ClassicRecord& record);
std::vector<std::uint8_t> instance_record(const ClassicRecord& record, std::uint32_t instance,
                                          std::uint32_t parent);
std::vector<std::uint8_t> event_record(const EventRecord& record);
std::vector<std::uint8_t> message_record(const MessageRecord& record);

// A context switch as the kernel logs it, version 2.
std::vector<std::uint8_t> context_switch_record(std::int64_t time, std::uint32_t new_thread,
                                                std::uint32_t old_thread,
                                                std::uint8_t old_state = 5,
                                                std::uint8_t old_wait_reason = 0);

struct WriterOptions {
  std::uint32_t buffer_bytes = 4096;
  std::uint32_t mode = kModeSequential;
  CompressionFormat compression = CompressionFormat::none;
  unsigned pointer_bytes = 8;
  std::uint32_t processors = 2;
  std::int64_t start_raw = 1'000'000'000;
  std::int64_t start_filetime = 132'000'000'000'000'000;
  std::int64_t boot_filetime = 131'990'000'000'000'000;
  std::int64_t end_filetime = 132'000'001'000'000'000;
  std::int64_t clock_hz = 10'000'000;
  std::uint32_t clock_type = 1;
  std::uint32_t cpu_mhz = 2000;
  std::uint32_t events_lost = 0;
  std::uint32_t buffers_lost = 0;
  std::string session_name = "test session";
  bool closed_properly = true;
  bool wide_processor_numbers = true;
};

class TraceWriter {
 public:
  explicit TraceWriter(const WriterOptions& options) : options_(options) {}

  // Appends a record to the processor's buffer; a full buffer is flushed.
  void add(std::uint16_t processor, const std::vector<std::uint8_t>& record);
  // Flushes a processor's buffer and sets these additional flags in its header.
  void flush(std::uint16_t processor, std::uint16_t flags = 0);
  void flush_all();

  std::size_t buffer_count() const { return buffers_.size(); }

  // Returns the file: the header buffer, then the buffers in order of flushing. The buffers before
  // `first` come last, or with drop_before are left out, as in a circular file that wrapped.
  std::vector<std::uint8_t> file(std::size_t first = 0, bool drop_before = false);

 private:
  struct Buffer {
    std::vector<std::uint8_t> records;  // without the header, which ends at 0x48
    std::uint64_t sequence = 0;
  };
  std::vector<std::uint8_t> header_buffer(std::size_t buffers) const;
  std::vector<std::uint8_t> finished(const Buffer& buffer, std::uint16_t processor,
                                     std::uint16_t flags, std::uint16_t type,
                                     std::uint64_t sequence) const;

  WriterOptions options_;
  std::map<std::uint16_t, Buffer> open_;
  std::vector<std::vector<std::uint8_t>> buffers_;
  std::uint64_t next_sequence_ = 1;
};

// Builds TraceLogging metadata: an event's name and its fields' types.
class MetadataBuilder {
 public:
  explicit MetadataBuilder(std::string_view event_name);
  // in_type: including the bits for counts; out_type: -1 for none.
  MetadataBuilder& field(std::string_view name, unsigned in_type, int out_type = -1);
  MetadataBuilder& fixed_count(unsigned count);
  std::vector<std::uint8_t> bytes() const;

 private:
  ByteBuilder builder_;
};

std::vector<std::uint8_t> provider_traits(std::string_view name);

}  // namespace tailgate::etl
