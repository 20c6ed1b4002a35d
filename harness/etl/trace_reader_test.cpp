#include "harness/etl/trace_reader.h"

#include <catch2/catch.hpp>

#include <numeric>
#include <random>

#include "harness/base/error.h"
#include "harness/etl/testing/trace_writer.h"

using namespace tailgate::etl;

namespace {

struct Read {
  std::vector<std::pair<std::int64_t, unsigned>> records;  // time, processor
  ReadDamage damage;
};

Read read_all(const std::vector<const TraceFile*>& files, ReadOrder order = ReadOrder::time,
              unsigned helpers = 2) {
  TraceReader reader(files, order, helpers);
  Read read;
  while (const Record* record = reader.next()) {
    if (record->kind == RecordKind::system) continue;  // the header record
    read.records.emplace_back(record->time, record->processor);
  }
  read.damage = reader.damage();
  return read;
}

Read read_bytes(const std::vector<std::uint8_t>& bytes, ReadOrder order = ReadOrder::time) {
  TraceFile file(bytes, "test");
  return read_all({&file}, order);
}

bool in_order(const Read& read) {
  return std::is_sorted(read.records.begin(), read.records.end(),
                        [](const auto& a, const auto& b) { return a.first < b.first; });
}

// Writes context switches at times 1, 2, ... after the start; each processor gets runs of random
// length.
void fill(TraceWriter& writer, std::int64_t start, int count, unsigned processors,
          unsigned seed = 1) {
  std::mt19937 generator(seed);
  auto random = [&generator] { return static_cast<std::uint32_t>(generator()); };
  unsigned processor = 0;
  for (int i = 1; i <= count; ++i) {
    if (random() % 5 == 0) processor = random() % processors;
    writer.add(static_cast<std::uint16_t>(processor),
               context_switch_record(start + i, random() % 1000, random() % 1000));
  }
}

}  // namespace

TEST_CASE("records of many processors are read in order of time, with every compression") {
  WriterOptions options;
  options.compression = GENERATE(CompressionFormat::none, CompressionFormat::xpress,
                                 CompressionFormat::lznt1, CompressionFormat::xpress_huffman);
  options.wide_processor_numbers = GENERATE(true, false);
  TraceWriter writer(options);
  fill(writer, options.start_raw, 5000, 7);
  std::vector<std::uint8_t> bytes = writer.file();
  TraceFile file(bytes, "test");
  CHECK(file.buffers().size() == writer.buffer_count() + 1);
  CHECK(file.header().buffers_written == file.buffers().size());
  CHECK_FALSE(file.damage().any());
  CHECK(file.epochs().front().sequence_gaps == 0);
  for (unsigned helpers : {0u, 3u}) {
    Read read = read_all({&file}, ReadOrder::time, helpers);
    REQUIRE(read.records.size() == 5000);
    std::int64_t time = options.start_raw;
    for (const auto& record : read.records) REQUIRE(record.first == ++time);
    CHECK_FALSE(read.damage.any());
  }
  CHECK(read_all({&file}, ReadOrder::file).records.size() == 5000);
}

TEST_CASE("records with equal times are read in order of the processors") {
  WriterOptions options;
  TraceWriter writer(options);
  for (int i = 0; i < 3; ++i) {
    for (std::uint16_t processor : std::initializer_list<std::uint16_t>{3, 1, 2}) {
      writer.add(processor, context_switch_record(options.start_raw + 100 * i, 8, 0));
    }
  }
  Read read = read_bytes(writer.file());
  REQUIRE(read.records.size() == 9);
  for (unsigned i = 0; i < 9; ++i) CHECK(read.records[i].second == i % 3 + 1);
}

TEST_CASE("sequence numbers put a wrapped circular file in order") {
  WriterOptions options;
  options.mode = kModeCircular;
  TraceWriter writer(options);
  fill(writer, options.start_raw, 3000, 3);
  writer.flush_all();
  std::size_t middle = writer.buffer_count() / 2;
  Read rotated = read_bytes(writer.file(middle));
  CHECK(rotated.records.size() == 3000);
  CHECK(in_order(rotated));

  std::vector<std::uint8_t> bytes = writer.file(middle, true);
  TraceFile file(bytes, "test");
  CHECK(file.epochs().front().buffers_overwritten > 0);
  Read wrapped = read_all({&file});
  CHECK(in_order(wrapped));
  CHECK(wrapped.records.size() < 3000);
}

TEST_CASE("missing buffers of a sequential file are counted as sequence gaps") {
  WriterOptions options;
  TraceWriter writer(options);
  fill(writer, options.start_raw, 2000, 1);
  writer.flush_all();
  std::vector<std::uint8_t> bytes = writer.file(3, true);
  TraceFile file(bytes, "test");
  CHECK(file.epochs().front().sequence_gaps == 3);
  CHECK(file.epochs().front().buffers_overwritten == 0);
}

TEST_CASE("an appended session has its own clock and follows the first") {
  WriterOptions first;
  first.mode = kModeAppend;
  TraceWriter one(first);
  fill(one, first.start_raw, 300, 2);
  WriterOptions second = first;
  second.start_raw = 5000;  // after a reboot the counter is lower
  second.start_filetime += 1'000'000'000;
  second.boot_filetime += 900'000'000;
  second.events_lost = 17;
  TraceWriter two(second);
  fill(two, second.start_raw, 200, 2);
  std::vector<std::uint8_t> bytes = one.file();
  std::vector<std::uint8_t> tail = two.file();
  bytes.insert(bytes.end(), tail.begin(), tail.end());
  TraceFile file(bytes, "test");
  REQUIRE(file.epochs().size() == 2);
  CHECK(file.epochs()[1].header.events_lost == 17);
  CHECK(file.epochs()[1].sequence_gaps == 0);
  TraceReader reader({&file}, ReadOrder::time);
  CHECK(reader.clock_count() == 2);
  std::int64_t last = 0;
  int count = 0;
  while (const Record* record = reader.next()) {
    std::int64_t filetime = reader.clock().filetime(record->time);
    CHECK(filetime >= last);
    last = filetime;
    ++count;
  }
  CHECK(count == 502);
  CHECK(last == second.start_filetime + 200);
}

TEST_CASE("files of one boot are merged with the first file's clock anchor") {
  WriterOptions kernel;
  WriterOptions user = kernel;
  // The user session starts 50 ticks later, but its header's anchor is off by 300 ticks (30 us).
  user.start_raw += 50;
  user.start_filetime += 350;
  TraceWriter kernel_writer(kernel);
  TraceWriter user_writer(user);
  for (int i = 0; i < 100; ++i) {
    TraceWriter& writer = i % 2 ? user_writer : kernel_writer;
    writer.add(0, context_switch_record(kernel.start_raw + 100 + i, 8, 0));
  }
  std::vector<std::uint8_t> kernel_bytes = kernel_writer.file();
  std::vector<std::uint8_t> user_bytes = user_writer.file();
  TraceFile a(kernel_bytes, "kernel");
  TraceFile b(user_bytes, "user");
  Read read = read_all({&a, &b});
  REQUIRE(read.records.size() == 100);
  std::int64_t time = kernel.start_raw + 100;
  for (const auto& record : read.records) CHECK(record.first == time++);
  TraceReader reader({&a, &b}, ReadOrder::time);
  CHECK(reader.clock_count() == 1);
  CHECK(reader.clock().filetime(kernel.start_raw + 100) == kernel.start_filetime + 100);
}

TEST_CASE("records of a session without per-processor buffers are sorted by time") {
  WriterOptions options;
  options.mode = kModeNoPerProcessorBuffering;
  TraceWriter writer(options);
  std::mt19937 random(5);
  for (int block = 0; block < 40; ++block) {
    std::vector<int> order(50);
    std::iota(order.begin(), order.end(), block * 50);
    std::shuffle(order.begin(), order.end(), random);
    for (int at : order) writer.add(0, context_switch_record(options.start_raw + at, 8, 0));
  }
  Read read = read_bytes(writer.file());
  CHECK(read.records.size() == 2000);
  CHECK(in_order(read));
}

TEST_CASE("a crashed session's file is read to its unused tail") {
  WriterOptions options;
  options.closed_properly = false;
  auto tail = GENERATE(as<std::uint8_t>(), 0x00, 0xFF);
  TraceWriter writer(options);
  fill(writer, options.start_raw, 500, 2);
  std::vector<std::uint8_t> bytes = writer.file();
  std::size_t used = bytes.size();
  bytes.resize(used + 10'000, tail);
  TraceFile file(bytes, "test");
  CHECK_FALSE(file.epochs().front().closed_properly);
  CHECK(file.unused_tail_bytes() >= 10'000);
  CHECK_FALSE(file.damage().any());
  CHECK(read_all({&file}).records.size() == 500);
}

TEST_CASE("losses are reported from the header and the buffers' flags") {
  WriterOptions options;
  options.events_lost = 5;
  options.buffers_lost = 2;
  TraceWriter writer(options);
  writer.add(0, context_switch_record(options.start_raw + 1, 8, 0));
  writer.flush(0, kEventsLost);
  writer.add(0, context_switch_record(options.start_raw + 2, 8, 0));
  writer.flush(0, kBufferLost | kRealTimeBackupCorrupt);
  std::vector<std::uint8_t> bytes = writer.file();
  TraceFile file(bytes, "test");
  const Epoch& epoch = file.epochs().front();
  CHECK(epoch.header.events_lost == 5);
  CHECK(epoch.header.buffers_lost == 2);
  CHECK(epoch.buffers_flagged_events_lost == 1);
  CHECK(epoch.buffers_flagged_buffer_lost == 1);
  CHECK(epoch.buffers_flagged_backup_corrupt == 1);
}

TEST_CASE("a damaged record ends only its buffer and is counted") {
  WriterOptions options;
  TraceWriter writer(options);
  fill(writer, options.start_raw, 1000, 1);
  std::vector<std::uint8_t> bytes = writer.file();
  std::size_t per_buffer = (options.buffer_bytes - 0x48) / 40;
  // The third record of the second data buffer.
  std::size_t at = 2 * options.buffer_bytes + 0x48 + 2 * 40;
  bytes[at] = bytes[at + 1] = bytes[at + 2] = bytes[at + 3] = 0x77;
  Read read = read_bytes(bytes);
  CHECK(read.damage.damaged_buffers == 1);
  CHECK(read.damage.unread_bytes == (per_buffer - 2) * 40);
  CHECK(read.records.size() == 1000 - (per_buffer - 2));
}

TEST_CASE("a damaged buffer header loses that buffer only") {
  WriterOptions options;
  options.compression = GENERATE(CompressionFormat::none, CompressionFormat::xpress);
  TraceWriter writer(options);
  fill(writer, options.start_raw, 2000, 1);
  std::vector<std::uint8_t> bytes = writer.file();
  TraceFile sound(bytes, "test");
  std::size_t victim = sound.buffers()[3].offset;
  std::size_t all = sound.buffers().size();
  bytes[victim] = bytes[victim + 1] = bytes[victim + 2] = bytes[victim + 3] = 0xFE;
  TraceFile file(bytes, "test");
  CHECK(file.damage().bad_buffer_headers + file.damage().truncated_buffers == 1);
  CHECK(file.damage().skipped_bytes > 0);
  CHECK(file.buffers().size() == all - 1);
  CHECK(file.epochs().front().sequence_gaps == 1);
}

TEST_CASE("a compressed buffer that does not decompress is counted") {
  WriterOptions options;
  options.compression = CompressionFormat::xpress;
  TraceWriter writer(options);
  fill(writer, options.start_raw, 2000, 1);
  std::vector<std::uint8_t> bytes = writer.file();
  TraceFile sound(bytes, "test");
  std::size_t victim = sound.buffers()[2].offset;
  for (std::size_t i = 0; i < 8; ++i) bytes[victim + 0x48 + i] = 0xFF;
  Read read = read_bytes(bytes);
  CHECK(read.damage.undecompressable_buffers == 1);
  CHECK(read.records.size() < 2000);
}

TEST_CASE("a file cut within a buffer counts a truncated buffer") {
  WriterOptions options;
  TraceWriter writer(options);
  fill(writer, options.start_raw, 1000, 1);
  std::vector<std::uint8_t> bytes = writer.file();
  bytes.resize(bytes.size() - 1000);
  TraceFile file(bytes, "test");
  CHECK(file.damage().truncated_buffers == 1);
  CHECK(file.damage().skipped_bytes == options.buffer_bytes - 1000);
}

TEST_CASE("other files are refused with a reason") {
  auto refused = [](std::vector<std::uint8_t> bytes, const std::string& word) {
    try {
      TraceFile file(bytes, "x.etl");
      return false;
    } catch (const tailgate::Error& error) {
      return std::string(error.what()).find(word) != std::string::npos;
    }
  };
  CHECK(refused({}, "not an event trace log"));
  CHECK(refused(std::vector<std::uint8_t>(4096, 'x'), "not an event trace log"));
  WriterOptions options;
  std::vector<std::uint8_t> sound = TraceWriter(options).file();
  CHECK(refused({sound.begin(), sound.begin() + 200}, "damaged log-file header"));
  std::vector<std::uint8_t> old = sound;
  old[0x36] = 0;  // Windows 5 has no buffer type here
  old[0x48] = 1;  // version of the header record
  CHECK(refused(old, "Windows XP"));
  CHECK_THROWS_AS(TraceReader({}, ReadOrder::time), tailgate::Error);
  CHECK_THROWS_AS(TraceFile(std::filesystem::path("/nonexistent/x.etl")), tailgate::Error);
}

TEST_CASE("times are computed from the session's clock") {
  WriterOptions options;
  options.pointer_bytes = GENERATE(4u, 8u);
  options.clock_hz = 2'337'949;
  std::vector<std::uint8_t> bytes = TraceWriter(options).file();
  TraceFile file(bytes, "test");
  CHECK(file.header().pointer_bytes == options.pointer_bytes);
  CHECK(file.header().session_name == "test session");
  CHECK(file.header().time_zone.bias_minutes == -60);
  const SessionClock& clock = file.clock();
  CHECK(clock.filetime(options.start_raw) == options.start_filetime);
  CHECK(clock.filetime(options.start_raw + options.clock_hz) ==
        options.start_filetime + 10'000'000);
  CHECK(clock.filetime(options.start_raw - 3 * options.clock_hz) ==
        options.start_filetime - 30'000'000);
  // A week and one tick later: the product does not fit 64 bits.
  std::int64_t week_s = 7 * 86'400;
  CHECK(clock.elapsed_ns(options.start_raw + week_s * options.clock_hz + 1) ==
        week_s * 1'000'000'000 + 427);
}

TEST_CASE("times of clocks other than the performance counter") {
  WriterOptions options;
  options.clock_type = 2;
  options.start_raw = 132'000'000'000'000'000;
  std::vector<std::uint8_t> bytes = TraceWriter(options).file();
  TraceFile system_time(bytes, "test");
  CHECK(system_time.clock().filetime(options.start_raw + 5) == options.start_raw + 5);
  options.clock_type = 3;
  options.cpu_mhz = 2000;
  options.start_raw = 1000;
  std::vector<std::uint8_t> cycles_bytes = TraceWriter(options).file();
  TraceFile cycles(cycles_bytes, "test");
  CHECK(cycles.clock().elapsed_ns(options.start_raw + 2000) == 1000);
}

TEST_CASE("FILETIMEs are shown in ISO 8601") {
  CHECK(filetime_text(116'444'736'000'000'000) == "1970-01-01T00:00:00.0000000Z");
  CHECK(filetime_text(0) == "1601-01-01T00:00:00.0000000Z");
  CHECK(filetime_text(132404547797984237) == "2020-07-29T00:06:19.7984237Z");
  CHECK(filetime_text(-1) == "invalid(-1)");
}
