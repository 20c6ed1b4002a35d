#include "harness/etl/record.h"

#include <catch2/catch.hpp>

#include "harness/etl/testing/trace_writer.h"

using namespace tailgate::etl;

namespace {

const Guid kEventClass = *parse_guid("01234567-89ab-cdef-0123-456789abcdef");

// A buffer with these records, as load_buffer() returns it.
std::vector<std::uint8_t> buffer_of(const std::vector<std::vector<std::uint8_t>>& records) {
  std::vector<std::uint8_t> buffer(kBufferHeaderBytes);
  for (const auto& record : records) {
    buffer.insert(buffer.end(), record.begin(), record.end());
    buffer.resize(align8(buffer.size()), 0xCD);
  }
  return buffer;
}

KernelRecord kernel(unsigned pointer_bytes) {
  KernelRecord record;
  record.hook_id = 0x0532;
  record.version = 3;
  record.time = 0x1122334455667788;
  record.thread = 40;
  record.process = 30;
  record.payload = {1, 2, 3, 4, 5};
  record.pointer_bytes = pointer_bytes;
  return record;
}

Record only_record(const std::vector<std::uint8_t>& buffer) {
  RecordCursor cursor(buffer, 9);
  Record record;
  REQUIRE(cursor.next(record));
  Record none;
  REQUIRE_FALSE(cursor.next(none));
  REQUIRE_FALSE(cursor.damaged());
  return record;
}

}  // namespace

TEST_CASE("kernel records of all kinds and both pointer sizes") {
  unsigned pointer_bytes = GENERATE(4u, 8u);
  KernelRecord written = kernel(pointer_bytes);
  struct Case {
    std::vector<std::uint8_t> bytes;
    RecordKind kind;
    bool has_ids;
    std::uint32_t kernel_ticks;
  };
  for (const Case& each : {Case{system_record(written), RecordKind::system, true, 11},
                           Case{compact_record(written), RecordKind::compact, true, 0},
                           Case{perf_info_record(written), RecordKind::perf_info, false, 0}}) {
    auto buffer = buffer_of({each.bytes});
    Record record = only_record(buffer);
    RecordHeader header = decode_header(record);
    CHECK(record.kind == each.kind);
    CHECK(record.pointer_bytes == pointer_bytes);
    CHECK(record.time == written.time);
    CHECK(record.processor == 9);
    CHECK(header.is_kernel());
    CHECK(header.hook_id == 0x0532);
    CHECK(header.version == 3);
    CHECK(header.opcode == 0x32);
    CHECK(header.thread_id == (each.has_ids ? 40 : RecordHeader::kNoId));
    CHECK(header.process_id == (each.has_ids ? 30 : RecordHeader::kNoId));
    CHECK(header.kernel_time_ticks == each.kernel_ticks);
    CHECK(has_cpu_times(record, header) == (record.kind == RecordKind::system));
    CHECK(to_text(header.provider) == "3d6fa8d1-fe05-11d0-9dda-00c04fd7ba7c");
    CHECK(std::vector<std::uint8_t>(header.payload.begin(), header.payload.end()) ==
          written.payload);
  }
}

TEST_CASE("performance counters lie between header and payload") {
  auto buffer = buffer_of({perf_info_record(kernel(8), {100, 200})});
  Record record = only_record(buffer);
  RecordHeader header = decode_header(record);
  REQUIRE(header.counters.size() == 16);
  CHECK(load<std::uint64_t>(header.counters.data() + 8) == 200);
  CHECK(header.payload.size() == 5);
  CHECK(header.version == 3);
}

// The marker, size and hook of a context switch with two counters, as in a test of libtrace.
TEST_CASE("a captured context switch header with counters has the published shape") {
  KernelRecord record = kernel(8);
  record.hook_id = 0x0524;
  record.version = 4;
  record.payload.assign(24, 0);
  std::vector<std::uint8_t> bytes = perf_info_record(record, {1, 2});
  CHECK(load<std::uint32_t>(bytes.data()) == 0xC0110204);
  CHECK(load<std::uint16_t>(bytes.data() + 4) == 0x38);
}

TEST_CASE("classic and instance records") {
  unsigned pointer_bytes = GENERATE(4u, 8u);
  ClassicRecord written{kEventClass, 36, 2, 555, 66, 77, {9, 8}, pointer_bytes};
  auto buffer = buffer_of({full_record(written)});
  Record record = only_record(buffer);
  RecordHeader header = decode_header(record);
  CHECK(record.kind == RecordKind::full);
  CHECK(record.pointer_bytes == pointer_bytes);
  CHECK(header.provider == kEventClass);
  CHECK(header.opcode == 36);
  CHECK(header.version == 2);
  CHECK(header.thread_id == 66);
  CHECK(header.process_id == 77);
  CHECK(header.payload.size() == 2);

  auto instance_buffer = buffer_of({instance_record(written, 5, 3)});
  record = only_record(instance_buffer);
  header = decode_header(record);
  CHECK(record.kind == RecordKind::instance);
  CHECK(header.instance_id == 5);
  CHECK(header.parent_instance_id == 3);
  CHECK(header.payload.size() == 2);
}

TEST_CASE("events with extended data of every known type") {
  EventRecord written;
  written.provider = kEventClass;
  written.id = 0xABCD;
  written.version = 7;
  written.opcode = 3;
  written.task = 0x1234;
  written.keyword = 0x8000000000000001;
  written.time = 99;
  written.thread = 1;
  written.process = 2;
  written.activity = kEventClass;
  written.payload = {1, 2, 3};
  for (std::uint16_t type = 1; type <= 0x12; ++type) {
    written.extended.emplace_back(type, std::vector<std::uint8_t>(type, 0xAA));
  }
  auto buffer = buffer_of({event_record(written)});
  Record record = only_record(buffer);
  RecordHeader header = decode_header(record);
  CHECK(record.kind == RecordKind::event);
  CHECK(header.id == 0xABCD);
  CHECK(header.version == 7);
  CHECK(header.opcode == 3);
  CHECK(header.task == 0x1234);
  CHECK(header.keyword == 0x8000000000000001);
  CHECK(header.activity == kEventClass);
  CHECK(header.payload.size() == 3);
  ExtendedCursor cursor(header.extended);
  ExtendedItem item;
  for (std::uint16_t type = 1; type <= 0x12; ++type) {
    REQUIRE(cursor.next(item));
    CHECK(static_cast<std::uint16_t>(item.type) == type);
    CHECK(item.data.size() == type);
  }
  CHECK_FALSE(cursor.next(item));
  CHECK(find_extended(header.extended, ExtendedType::event_key).size() == 0x0A);
}

TEST_CASE("an extended item of impossible size loses the payload but not the record") {
  EventRecord written;
  written.provider = kEventClass;
  written.payload = {1, 2, 3};
  written.extended.emplace_back(std::uint16_t{1}, std::vector<std::uint8_t>(16));
  std::vector<std::uint8_t> bytes = event_record(written);
  bytes[0x50] = 0xFF;
  bytes[0x51] = 0xFF;
  auto buffer = buffer_of({bytes});
  Record record = only_record(buffer);
  RecordHeader header = decode_header(record);
  CHECK(header.extended_damaged);
  CHECK(header.payload.empty());
  CHECK(header.id == 0);
}

TEST_CASE("a message's options say which fields it has") {
  MessageRecord written;
  written.guid = kEventClass;
  written.number = 10;
  written.time = 1234;
  written.thread = 5;
  written.process = 6;
  written.arguments = {1, 2, 3, 4};
  // Sequence, GUID, time, system information.
  written.options = 0x2B;
  auto buffer = buffer_of({message_record(written)});
  Record record = only_record(buffer);
  RecordHeader header = decode_header(record);
  CHECK(record.kind == RecordKind::message);
  CHECK(record.time == 1234);
  CHECK(header.id == 10);
  CHECK(header.provider == kEventClass);
  CHECK(header.thread_id == 5);
  CHECK(header.process_id == 6);
  CHECK(header.payload.size() == 4);
  // A component id instead of the GUID, and no time: the previous record's time.
  written.options = 0x04;
  auto second = buffer_of({perf_info_record(kernel(8)), message_record(written)});
  RecordCursor cursor(second, 0);
  REQUIRE(cursor.next(record));
  REQUIRE(cursor.next(record));
  CHECK(record.time == kernel(8).time);
  CHECK(decode_header(record).payload.size() == 4);
  CHECK(decode_header(record).thread_id == RecordHeader::kNoId);
}

TEST_CASE("a buffer ends with fill bytes, a zero or exactly, anything else is damage") {
  auto sound = buffer_of({perf_info_record(kernel(8))});
  auto ends = [](std::vector<std::uint8_t> buffer) {
    RecordCursor cursor(buffer, 0);
    Record record;
    int count = 0;
    while (cursor.next(record)) ++count;
    return std::pair(count, cursor.damaged());
  };
  CHECK(ends(sound) == std::pair(1, false));
  auto filled = sound;
  filled.resize(filled.size() + 64, 0xFF);
  CHECK(ends(filled) == std::pair(1, false));
  auto zeros = sound;
  zeros.resize(zeros.size() + 64, 0);
  CHECK(ends(zeros) == std::pair(1, false));
  auto garbage = sound;
  garbage.resize(garbage.size() + 64, 0x5A);
  CHECK(ends(garbage) == std::pair(1, true));
  auto cut = sound;
  cut.resize(cut.size() - 8);
  CHECK(ends(cut) == std::pair(0, true));
  auto small = sound;
  small[kBufferHeaderBytes + 4] = 8;  // smaller than the header
  CHECK(ends(small) == std::pair(0, true));
}

TEST_CASE("a record with an unknown header type is returned whole and the walk goes on") {
  std::vector<std::uint8_t> unknown = {24, 0, 0x2A, 0xC0};
  unknown.resize(24, 0x11);
  auto buffer = buffer_of({unknown, perf_info_record(kernel(8))});
  RecordCursor cursor(buffer, 0);
  Record record;
  REQUIRE(cursor.next(record));
  CHECK(record.kind == RecordKind::unknown);
  CHECK(record.size_bytes == 24);
  REQUIRE(cursor.next(record));
  CHECK(record.kind == RecordKind::perf_info);
}

TEST_CASE("an event has its thread's CPU times unless its flags say otherwise") {
  for (const unsigned flags : {0x00u, 0x40u, 0x02u, 0x10u, 0x12u}) {
    EventRecord written;
    written.flags = static_cast<std::uint16_t>(flags);
    const auto buffer = buffer_of({event_record(written)});
    const Record record = only_record(buffer);
    CHECK(has_cpu_times(record, decode_header(record)) == ((flags & 0x12u) == 0));
  }
}
