#include "harness/etl/memory_use.h"

#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "harness/etl/testing/kernel_trace.h"

using namespace tailgate::etl;

namespace {

constexpr std::uint32_t kCommit = 0x1000;
constexpr std::uint32_t kReserve = 0x2000;
constexpr std::uint32_t kDecommit = 0x4000;
constexpr std::uint32_t kRelease = 0x8000;

void change(KernelTrace& trace, std::int64_t time_us, std::uint16_t hook, std::uint64_t base,
            std::uint64_t size, std::uint32_t process, std::uint32_t flags) {
  trace.add(time_us, hook, ByteBuilder().u64(base).u64(size).u32(process).u32(flags));
}

std::string report(KernelTrace& trace, TextFormat format) {
  const std::vector<std::uint8_t> bytes = trace.file();
  const TraceFile file(bytes, "test");
  std::string out;
  report_memory({&file}, format, 10, [&out](std::string_view text) {
    out += text;
    return true;
  });
  return out;
}

}  // namespace

TEST_CASE("ranges of addresses agree with one owner a page", "[etl]") {
  std::mt19937 random(1);
  AddressRanges ranges;
  std::map<std::uint64_t, std::uint32_t> pages;
  for (std::uint32_t step = 1; step < 3000; ++step) {
    const std::uint64_t from = random() % 200;
    const std::uint64_t size = random() % 40;
    std::uint64_t changed = 0;
    const bool adds = random() % 2 == 0;
    for (std::uint64_t page = from; page < from + size; ++page) {
      changed += adds ? pages.emplace(page, step).second : pages.erase(page);
    }
    const auto made = adds ? ranges.add(from, size, step, 50) : ranges.remove(from, size, 50);
    REQUIRE(made.bytes == changed);
    REQUIRE(made.complete);
    std::map<std::uint32_t, std::uint64_t> by_owner;
    for (const auto& [page, owner] : pages) ++by_owner[owner];
    REQUIRE(ranges.by_owner() == by_owner);
  }
}

TEST_CASE("a range up to the last address does not wrap", "[etl]") {
  AddressRanges ranges;
  constexpr std::uint64_t kTop = ~std::uint64_t{0};
  CHECK(ranges.add(kTop - 10, 100, 1, 9).bytes == 10);
  CHECK(ranges.add(0, kTop, 2, 9).bytes == kTop - 10);
  CHECK(ranges.remove(kTop - 10, kTop, 9).bytes == 10);
}

TEST_CASE("ranges without room are not added, or lost behind a gap", "[etl]") {
  AddressRanges ranges;
  CHECK_FALSE(ranges.add(0, 10, 1, 0).complete);
  CHECK(ranges.count() == 0);
  CHECK(ranges.add(0, 100, 1, 1).bytes == 100);
  CHECK(ranges.add(10, 50, 2, 0).complete);  // it is there already
  const AddressRanges::Change made = ranges.remove(40, 10, 0);
  CHECK(made.bytes == 10);
  CHECK_FALSE(made.complete);
  CHECK(made.lost_bytes == 50);
  CHECK(ranges.by_owner() == std::map<std::uint32_t, std::uint64_t>{{1, 40}});
}

TEST_CASE("adding a range passes a limited number of others", "[etl]") {
  AddressRanges ranges;
  for (std::uint64_t i = 0; i < 10'000; ++i) ranges.add(2 * i + 1, 1, 1, 1);
  const AddressRanges::Change made = ranges.add(0, 20'000, 2, 100'000);
  CHECK_FALSE(made.complete);
  CHECK(made.bytes == AddressRanges::kMaxPassed + 1);
}

TEST_CASE("stacks that are known stay so when there is no room for others", "[etl]") {
  constexpr std::uint32_t kRoom = 65'536;
  KernelTrace trace;
  std::uint64_t base = 0;
  const auto commit = [&](std::int64_t time_us, std::uint64_t frame) {
    change(trace, time_us, 0x0262, base += 0x2000, 0x1000, 500, kCommit);
    trace.stack(time_us, time_us, 500, 8, {frame});
  };
  for (std::uint32_t i = 0; i < kRoom + 3; ++i) commit(10 + i, 0x1000 + i);
  commit(10 + kRoom + 3, 0x1000);
  const auto json = nlohmann::json::parse(report(trace, TextFormat::json));
  CHECK(json["unfreed"][0]["unfreed_bytes"] == 0x3000);
  CHECK(json["unfreed"][0]["stack"] == "(no stack)");
  CHECK(json["unfreed"][1]["unfreed_bytes"] == 0x2000);
  CHECK(json["unfreed"][1]["stack"] == "0x1000");
  REQUIRE(json["notes"].size() == 2);
  CHECK(json["notes"][0] == "without room: 3 stacks of allocations, which are under (no stack)");
  CHECK(json["notes"][1] == "without room: 49153 rows of stacks, those with the fewest bytes");
}

TEST_CASE("memory that is not freed counts, by process and stack", "[etl]") {
  KernelTrace trace;
  trace.process(0, 0x0303, 500, "leaky.exe");
  trace.process(0, 0x0303, 600, "gone.exe");
  trace.image(0, 500, 0x40000, 0x1000, R"(\app\leaky.exe)");
  // 8 pages are reserved, 4 of them committed, 1 of these again and 1 decommitted: 3 stay.
  change(trace, 10, 0x0262, 0x100000, 0x8000, 500, kReserve);
  change(trace, 20, 0x0262, 0x100000, 0x4000, 500, kCommit);
  trace.stack(21, 20, 500, 8, {0x40010, 0x40020});
  change(trace, 30, 0x0262, 0x100000, 0x1000, 500, kCommit);
  change(trace, 40, 0x0263, 0x103000, 0x1000, 500, kDecommit);
  // Committed and released.
  change(trace, 50, 0x0262, 0x200000, 0x2000, 500, kCommit | kReserve);
  change(trace, 60, 0x0263, 0x200000, 0x2000, 500, kRelease);
  // Freed, but committed before the trace began.
  change(trace, 70, 0x0263, 0x900000, 0x5000, 500, kRelease);
  // What a process has ends with it.
  change(trace, 80, 0x0262, 0x100000, 0x6000, 600, kCommit);
  trace.process(90, 0x0302, 600, "gone.exe");
  const auto json = nlohmann::json::parse(report(trace, TextFormat::json));
  REQUIRE(json["processes"].size() == 2);
  const auto& leaky = json["processes"][0];
  CHECK(leaky["process"] == "leaky.exe (500)");
  CHECK(leaky["unfreed_bytes"] == 0x3000);
  CHECK(leaky["peak_bytes"] == 0x5000);
  CHECK(leaky["committed_bytes"] == 0x6000);
  CHECK(leaky["allocations"] == 3);
  CHECK(leaky["freed_bytes"] == 0x3000);
  CHECK(leaky["freed_of_before_bytes"] == 0x5000);
  CHECK(json["processes"][1]["unfreed_bytes"] == 0);
  CHECK(json["processes"][1]["ended"] == true);
  REQUIRE(json["unfreed"].size() == 1);
  CHECK(json["unfreed"][0]["unfreed_bytes"] == 0x3000);
  CHECK(json["unfreed"][0]["stack"] == "leaky.exe+0x10 < leaky.exe+0x20");
  CHECK(json["notes"].empty());
}

namespace {

// Events of thread 8 of a process's heap, as Windows logs them: with a system header.
void heap_event(KernelTrace& trace, std::int64_t time_us, std::uint16_t hook,
                const ByteBuilder& payload, std::uint32_t process = 500) {
  KernelRecord record;
  record.hook_id = hook;
  record.time = trace.raw(time_us);
  record.thread = 8;
  record.process = process;
  record.payload = payload.bytes();
  trace.writer().add(0, system_record(record));
}

ByteBuilder block(std::uint64_t heap, std::uint64_t size, std::uint64_t address) {
  return ByteBuilder().u64(heap).u64(size).u64(address).u32(2);
}

ByteBuilder resized(std::uint64_t to, std::uint64_t from, std::uint64_t to_bytes,
                    std::uint64_t from_bytes) {
  return ByteBuilder().u64(0xA0000).u64(to).u64(from).u64(to_bytes).u64(from_bytes).u32(2);
}

ByteBuilder freed(std::uint64_t heap, std::uint64_t address) {
  return ByteBuilder().u64(heap).u64(address).u32(2);
}

}  // namespace

TEST_CASE("blocks of heaps that are not freed count, by process and stack", "[etl]") {
  KernelTrace trace;
  trace.process(0, 0x0303, 500, "leaky.exe");
  trace.image(0, 500, 0x40000, 0x1000, R"(\app\leaky.exe)");
  // Of two blocks of one stack the first one is freed; of two heaps, the second ends.
  for (std::uint64_t i = 0; i < 2; ++i) {
    const auto time = static_cast<std::int64_t>(10 + 10 * i);
    heap_event(trace, time, 0x1021, block(0xA0000, 100 + i, 0xA1000 + 0x100 * i));
    trace.stack(time + 1, time, 500, 8, {0x40010, 0x40020});
  }
  heap_event(trace, 30, 0x1024, freed(0xA0000, 0xA1000));
  heap_event(trace, 40, 0x1021, block(0xB0000, 1000, 0xA1100));
  heap_event(trace, 50, 0x1023, ByteBuilder().u64(0xB0000));
  // An address that is used again, and a block from before the trace.
  heap_event(trace, 60, 0x1021, block(0xA0000, 40, 0xA1000));
  heap_event(trace, 70, 0x1024, freed(0xA0000, 0xA9000));
  // An allocation that failed.
  heap_event(trace, 75, 0x1021, block(0xA0000, 1 << 30, 0));
  // What another process has ends with it.
  heap_event(trace, 80, 0x1021, block(0xA0000, 7, 0xA1000), 600);
  trace.process(90, 0x0302, 600, "gone.exe");
  const auto json = nlohmann::json::parse(report(trace, TextFormat::json));
  REQUIRE(json["heaps"].size() == 2);
  const auto& leaky = json["heaps"][0];
  CHECK(leaky["process"] == "leaky.exe (500)");
  CHECK(leaky["unfreed_bytes"] == 141);
  CHECK(leaky["unfreed_blocks"] == 2);
  CHECK(leaky["peak_bytes"] == 1101);
  CHECK(leaky["allocations"] == 4);
  CHECK(leaky["allocated_bytes"] == 1241);
  CHECK(leaky["frees"] == 3);
  CHECK(leaky["freed_bytes"] == 1100);
  CHECK(leaky["frees_of_before"] == 1);
  CHECK(json["heaps"][1]["unfreed_bytes"] == 0);
  CHECK(json["heaps"][1]["ended"] == true);
  REQUIRE(json["heap_unfreed"].size() == 2);
  CHECK(json["heap_unfreed"][0]["unfreed_bytes"] == 101);
  CHECK(json["heap_unfreed"][0]["stack"] == "leaky.exe+0x10 < leaky.exe+0x20");
  CHECK(json["heap_unfreed"][1]["unfreed_bytes"] == 40);
  CHECK(json["heap_unfreed"][1]["stack"] == "(no stack)");
  CHECK_THAT(report(trace, TextFormat::text), Catch::Contains("blocks of heaps, by process"));
}

TEST_CASE("a block that is resized counts once, in its place or moved", "[etl]") {
  KernelTrace trace;
  heap_event(trace, 10, 0x1021, block(0xA0000, 100, 0xA1000));
  heap_event(trace, 20, 0x1022, resized(0xA1000, 0xA1000, 160, 100));
  const auto unfreed = [&trace] {
    return nlohmann::json::parse(report(trace, TextFormat::json))["heaps"][0];
  };
  CHECK(unfreed()["unfreed_bytes"] == 160);
  // As Windows records a move: the new block, the end of the old one, and then the move. The stack
  // is that of the allocation.
  heap_event(trace, 30, 0x1021, block(0xA0000, 564, 0xA2000));
  trace.stack(30, 30, 500, 8, {0x1111});
  heap_event(trace, 31, 0x1024, freed(0xA0000, 0xA1000));
  heap_event(trace, 32, 0x1022, resized(0xA2000, 0xA1000, 564, 160));
  trace.stack(32, 32, 500, 8, {0x2222});
  CHECK(unfreed()["unfreed_bytes"] == 564);
  CHECK(unfreed()["unfreed_blocks"] == 1);
  CHECK(unfreed()["frees_of_before"] == 0);
  const auto json = nlohmann::json::parse(report(trace, TextFormat::json));
  CHECK(json["heap_unfreed"][0]["stack"] == "0x1111");
  // A move of which this event alone is there, and one that failed.
  heap_event(trace, 40, 0x1022, resized(0xA3000, 0xA2000, 700, 564));
  heap_event(trace, 50, 0x1022, resized(0, 0xA3000, 1 << 30, 700));
  CHECK(unfreed()["unfreed_bytes"] == 700);
  CHECK(unfreed()["unfreed_blocks"] == 1);
}

TEST_CASE("events of heaps that name no process do not count, and are counted", "[etl]") {
  KernelTrace trace;
  trace.add(10, 0x1021, block(0xA0000, 100, 0xA1000));
  const auto json = nlohmann::json::parse(report(trace, TextFormat::json));
  CHECK(json["heaps"].empty());
  REQUIRE(json["notes"].size() == 2);
  CHECK(json["notes"][1] == "1 events of heaps name no process, and do not count");
}

TEST_CASE("a trace without memory events says how to record them", "[etl]") {
  KernelTrace trace;
  trace.process(0, 0x0303, 500, "app.exe");
  CHECK_THAT(report(trace, TextFormat::text),
             Catch::Contains("VIRT_ALLOC") && Catch::Contains("nor has it events of heaps"));
}
