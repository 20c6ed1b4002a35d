#include "harness/explain/ftrace_records.h"

#include <catch2/catch.hpp>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/explain/page_capture.h"
#include "harness/tracefs/test_pages.h"

namespace tailgate::activity {
namespace {

using tracefs::format_text;

enum Id : std::uint16_t {
  kSwitch = 300,
  kWaking,
  kIrqBegin,
  kIrqEnd,
  kSoftBegin,
  kSoftEnd,
  kTimer,
  kTimerEnd,
  kEnter,
  kExit,
  kFault,
  kIssue,
  kComplete,
  kQueue,
  kZoneLocked,
  kReclaimBegin,
  kReclaimEnd,
  kMapExit,
  kFunction
};

std::string field(const char* declaration, int offset, int size) {
  return std::string("\tfield:") + declaration + ";\toffset:" + std::to_string(offset) +
         ";\tsize:" + std::to_string(size) + ";\tsigned:0;\n";
}

// The formats of kernel 6.18 on x86-64.
void add_all_formats(FtraceRecords& records) {
  CHECK(records.add_format(
      format_text("sched_switch", kSwitch,
                  field("char prev_comm[16]", 8, 16) + field("pid_t prev_pid", 24, 4) +
                      field("int prev_prio", 28, 4) + field("long prev_state", 32, 8) +
                      field("char next_comm[16]", 40, 16) + field("pid_t next_pid", 56, 4))));
  CHECK(records.add_format(format_text("sched_waking", kWaking,
                                       field("char comm[16]", 8, 16) + field("pid_t pid", 24, 4))));
  CHECK(records.add_format(
      format_text("irq_handler_entry", kIrqBegin,
                  field("int irq", 8, 4) + field("__data_loc char[] name", 12, 4))));
  CHECK(records.add_format(format_text("irq_handler_exit", kIrqEnd, field("int irq", 8, 4))));
  CHECK(records.add_format(
      format_text("softirq_entry", kSoftBegin, field("unsigned int vec", 8, 4))));
  CHECK(records.add_format(format_text("softirq_exit", kSoftEnd, field("unsigned int vec", 8, 4))));
  CHECK(records.add_format(format_text("local_timer_entry", kTimer, field("int vector", 8, 4))));
  CHECK(records.add_format(format_text("local_timer_exit", kTimerEnd, field("int vector", 8, 4))));
  CHECK(records.add_format(format_text("sys_enter", kEnter, field("long id", 8, 8))));
  CHECK(records.add_format(format_text("sys_exit", kExit, field("long id", 8, 8))));
  CHECK(records.add_format(
      format_text("page_fault_user", kFault, field("unsigned long address", 8, 8))));
  CHECK(records.add_format(format_text("block_rq_issue", kIssue,
                                       field("dev_t dev", 8, 4) + field("sector_t sector", 16, 8) +
                                           field("unsigned int nr_sector", 24, 4) +
                                           field("char rwbs[10]", 34, 10))));
  CHECK(records.add_format(format_text(
      "block_rq_complete", kComplete, field("dev_t dev", 8, 4) + field("sector_t sector", 16, 8))));
  CHECK(records.add_format(
      format_text("mm_page_alloc_zone_locked", kZoneLocked,
                  field("unsigned long pfn", 8, 8) + field("unsigned int order", 16, 4) +
                      field("int migratetype", 20, 4) + field("int percpu_refill", 24, 4))));
  CHECK(records.add_format(
      format_text("mm_vmscan_direct_reclaim_begin", kReclaimBegin,
                  field("int order", 8, 4) + field("unsigned long gfp_flags", 16, 8))));
  CHECK(records.add_format(format_text("mm_vmscan_direct_reclaim_end", kReclaimEnd,
                                       field("unsigned long nr_reclaimed", 8, 8))));
  CHECK(records.add_format(format_text(
      "block_bio_queue", kQueue, field("dev_t dev", 8, 4) + field("sector_t sector", 16, 8))));
  // Its name ends like that of an interrupt's event.
  CHECK(records.add_format(
      format_text("ext4_ext_map_blocks_exit", kMapExit, field("dev_t dev", 8, 4))));
  CHECK(records.add_format(
      format_text("function", kFunction,
                  field("unsigned long ip", 8, 8) + field("unsigned long parent_ip", 16, 8))));
}

// Builds a record's data field by field.
class Data {
 public:
  Data(Id id, std::size_t bytes, std::uint32_t thread = 0, std::uint8_t flags = 0) : bytes_(bytes) {
    put<std::uint16_t>(0, id).put<std::uint8_t>(2, flags).put<std::uint32_t>(4, thread);
  }
  template <class Number>
  Data& put(std::size_t at, Number value) {
    std::memcpy(bytes_.data() + at, &value, sizeof value);
    return *this;
  }
  Data& text(std::size_t at, const std::string& value) {
    std::memcpy(bytes_.data() + at, value.data(), value.size());
    return *this;
  }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

Data switched(std::uint32_t from, std::uint64_t state, std::uint32_t to) {
  return Data(kSwitch, 64)
      .text(8, "from")
      .put<std::uint32_t>(24, from)
      .put<std::uint64_t>(32, state)
      .text(40, "to")
      .put<std::uint32_t>(56, to);
}

struct Fixture {
  Fixture() {
    timeline.keep_intervals();
    timeline.watch(7);
    add_all_formats(records);
  }
  Timeline timeline{1'000'000'000, 0};
  FtraceRecords records{timeline};
};

TEST_CASE_METHOD(Fixture, "switches give the threads, their wait states and names") {
  records.add(0, 100, switched(0, 0, 7).bytes());
  records.add(0, 200, switched(7, 0x100, 8).bytes());  // R+: preempted
  records.add(0, 300, switched(8, 1, 7).bytes());
  records.add(0, 400, switched(7, 2, 0).bytes());
  records.add(0, 500, switched(0, 0, 7).bytes());
  records.add(0, 600, switched(7, 4, 0).bytes());
  const auto& stretches = timeline.history(7)->stretches();
  REQUIRE(stretches.size() == 6);
  CHECK(stretches[0].state == ThreadState::running);
  CHECK(stretches[1].state == ThreadState::ready);
  CHECK(stretches[3].state == ThreadState::blocked);
  CHECK(stretches[3].wait == Wait::uninterruptible);
  CHECK(stretches[5].wait == Wait::stopped);
  CHECK(timeline.thread_name(8) == "from");
  CHECK(records.records() == 6);
  CHECK(records.damaged_bytes() == 0);
}

TEST_CASE_METHOD(
    Fixture,
    "the waker is the thread that runs on the waking processor, or an interrupt on top of it") {
  records.add(0, 10, switched(0, 0, 7).bytes());
  records.add(0, 20, switched(7, 1, 0).bytes());
  records.add(1, 25, switched(0, 0, 9).bytes());
  records.add(1, 30, Data(kWaking, 40).text(8, "load").put<std::uint32_t>(24, 7).bytes());
  CHECK(timeline.history(7)->stretches().back().waker == 9);
  CHECK_FALSE(timeline.history(7)->stretches().back().by_interrupt);
  records.add(0, 40, switched(0, 0, 7).bytes());
  records.add(0, 50, switched(7, 1, 0).bytes());
  records.add(1, 60, Data(kWaking, 40, 9, 0x10).put<std::uint32_t>(24, 7).bytes());
  CHECK(timeline.history(7)->stretches().back().by_interrupt);
}

TEST_CASE_METHOD(Fixture,
                 "an interrupt's entry and exit are paired by routine, and routines are named") {
  const Data line = Data(kIrqBegin, 32)
                        .put<std::uint32_t>(8, 25)
                        .put<std::uint32_t>(12, 5u << 16 | 16)
                        .text(16, "eth0");
  records.add(2, 100, Data(kSoftBegin, 12).put<std::uint32_t>(8, 3).bytes());
  records.add(2, 110, line.bytes());
  records.add(2, 115, Data(kTimer, 12).put<std::uint32_t>(8, 236).bytes());
  records.add(2, 118, Data(kTimerEnd, 12).put<std::uint32_t>(8, 236).bytes());
  records.add(2, 120, Data(kIrqEnd, 12).put<std::uint32_t>(8, 25).bytes());
  records.add(2, 130, Data(kSoftEnd, 12).put<std::uint32_t>(8, 3).bytes());
  records.add(
      2, 140,
      Data(kSoftEnd, 12).put<std::uint32_t>(8, 3).bytes());  // its entry came before the trace
  const auto all = timeline.interrupts(2);
  REQUIRE(all.size() == 3);
  CHECK((all[0].begin == 115 && all[0].end == 118));
  CHECK((all[1].begin == 110 && all[1].end == 120));
  CHECK((all[2].begin == 100 && all[2].end == 130));
  CHECK(timeline.routine_name(all[0].kind, all[0].routine) == "local_timer");
  CHECK(timeline.routine_name(all[1].kind, all[1].routine) == "eth0");
  CHECK(timeline.routine_name(all[2].kind, all[2].routine) == "NET_RX");
}

TEST_CASE_METHOD(Fixture, "system calls, page faults and storage requests become marks and spans") {
  records.add(0, 10, Data(kEnter, 64, 7).put<std::uint64_t>(8, 1).bytes());
  records.add(0, 20, Data(kFault, 32, 7).bytes());
  records.add(0, 30, Data(kExit, 24, 7).put<std::uint64_t>(8, 1).bytes());
  records.add(0, 40, Data(kEnter, 64, 8).put<std::uint64_t>(8, 1).bytes());  // not watched
  REQUIRE(timeline.history(7)->marks().size() == 3);
  CHECK(timeline.history(7)->marks()[1].kind == MarkKind::page_fault);
  CHECK(timeline.history(7)->marks()[1].in_system_call);
  CHECK_FALSE(timeline.history(7)->marks()[2].in_system_call);
  records.add(0, 50,
              Data(kIssue, 64, 9)
                  .put<std::uint32_t>(8, 254u << 20 | 1)
                  .put<std::uint64_t>(16, 4096)
                  .put<std::uint32_t>(24, 8)
                  .text(34, "WFS")
                  .bytes());
  records.add(1, 90,
              Data(kComplete, 56)
                  .put<std::uint32_t>(8, 254u << 20 | 1)
                  .put<std::uint64_t>(16, 4096)
                  .bytes());
  records.add(0, 95,
              Data(kIssue, 64, 9).put<std::uint32_t>(8, 254u << 20 | 1).text(34, "FF").bytes());
  REQUIRE(timeline.storage().size() == 2);
  CHECK(timeline.storage()[0].sectors == 8);
  CHECK_FALSE(timeline.storage()[0].flush);
  CHECK(timeline.storage()[1].sectors == 0);
  CHECK(timeline.storage()[1].flush);
  CHECK(timeline.storage()[0].name == "254:1 WFS");
  CHECK(timeline.storage()[0].thread == 9);
  CHECK((timeline.storage()[0].begin == 50 && timeline.storage()[0].end == 90));
}

TEST_CASE_METHOD(Fixture, "a storage request is for the thread that queued it") {
  constexpr std::uint32_t kPartition = 8u << 20 | 1;
  constexpr std::uint32_t kDisk = 8u << 20;
  constexpr std::uint32_t kWorker = 3;
  const auto queue = [&](std::int64_t time, std::uint32_t thread, std::uint64_t sector) {
    records.add(0, time,
                Data(kQueue, 54, thread)
                    .put<std::uint32_t>(8, kPartition)
                    .put<std::uint64_t>(16, sector)
                    .bytes());
  };
  const auto issue = [&](std::int64_t time, std::uint64_t sector) {
    records.add(0, time,
                Data(kIssue, 64, kWorker)
                    .put<std::uint32_t>(8, kDisk)
                    .put<std::uint64_t>(16, sector)
                    .text(34, "WS")
                    .bytes());
  };
  records.add(0, 5, Data(kEnter, 64, 7).put<std::uint64_t>(8, 1).bytes());
  queue(10, 8, 4096);
  queue(20, 7, 5000);  // the load's own
  issue(30, 5000);
  issue(40, 4096);
  issue(50, 4096);  // nobody queued it again
  REQUIRE(timeline.storage().size() == 3);
  CHECK(timeline.storage()[0].thread == 7);
  CHECK(timeline.storage()[1].thread == 8);
  CHECK(timeline.storage()[2].thread == kWorker);
  // For the load's thread it is a step in the block layer as well.
  const std::vector<ThreadMark>& marks = timeline.history(7)->marks();
  REQUIRE(marks.size() == 2);
  CHECK(timeline.kernel_point(marks[1].active).cause == Cause::block_layer);
}

TEST_CASE_METHOD(Fixture, "points in the kernel become marks that say what the thread does") {
  records.add(0, 10, Data(kEnter, 64, 7).put<std::uint64_t>(8, 1).bytes());
  records.add(0, 20, Data(kReclaimBegin, 24, 7).bytes());
  records.add(0, 30, Data(kZoneLocked, 28, 7).bytes());
  records.add(0, 35, Data(kZoneLocked, 28, 7, 0x08).bytes());  // an interrupt on top
  records.add(0, 40, Data(kZoneLocked, 28, 8).bytes());        // not watched
  records.add(0, 50, Data(kReclaimEnd, 16, 7).bytes());
  records.add(0, 60, Data(kExit, 24, 7).put<std::uint64_t>(8, 1).bytes());
  const std::vector<ThreadMark>& marks = timeline.history(7)->marks();
  REQUIRE(marks.size() == 5);
  CHECK(marks[1].kind == MarkKind::kernel_point);
  CHECK(marks[1].time == 20);
  CHECK(timeline.kernel_point(marks[1].active).cause == Cause::reclaim);
  CHECK(timeline.kernel_point(marks[2].active).name == "mm_page_alloc_zone_locked");
  CHECK(timeline.kernel_point(marks[2].active).cause == Cause::page_refill);
  CHECK(marks[2].in_system_call);
  CHECK(marks[3].time == 50);
  CHECK(marks[3].active == kNoPoint);  // the reclaim has ended
  CHECK(records.damaged_bytes() == 0);
}

TEST_CASE_METHOD(Fixture, "a thread that wakes another one passes a point") {
  records.add(0, 5, switched(0, 0, 7).bytes());
  records.add(0, 10, Data(kEnter, 64, 7).put<std::uint64_t>(8, 1).bytes());
  records.add(0, 20, Data(kWaking, 40, 7).put<std::uint32_t>(24, 9).bytes());
  records.add(0, 30, Data(kWaking, 40, 7, 0x10).put<std::uint32_t>(24, 9).bytes());
  const std::vector<ThreadMark>& marks = timeline.history(7)->marks();
  REQUIRE(marks.size() == 2);
  CHECK(timeline.kernel_point(marks[1].active).cause == Cause::wake_up);
  CHECK(marks[1].woken == 9);
}

TEST_CASE_METHOD(Fixture,
                 "unused events are declined, formats without a required field are refused") {
  CHECK_FALSE(
      records.add_format(format_text("sched_stat_runtime", 999, field("u64 runtime", 8, 8))));
  CHECK_FALSE(records.add_format(format_text("vector_entry", 998, field("int irq", 8, 4))));
  CHECK_THROWS_AS(records.add_format(format_text("sched_switch", 997, field("int x", 8, 4))),
                  Error);
  records.add(0, 10, Data(static_cast<Id>(999), 32).bytes());
  CHECK(records.records() == 0);
  CHECK(records.damaged_bytes() == 0);
}

TEST_CASE_METHOD(Fixture,
                 "records that are too short count as damaged, and times never go backwards") {
  records.add(0, 100, switched(0, 0, 7).bytes().first(40));
  CHECK(records.damaged_bytes() == 40);
  records.add(0, 100, std::vector<std::byte>(3));
  CHECK(records.damaged_bytes() == 43);
  records.add(0, 100, switched(0, 0, 7).bytes());
  records.add(0, 50, switched(7, 1, 0).bytes());
  CHECK(timeline.history(7)->stretches().back().begin == 100);
  // The name's offset lies outside of the record.
  records.add(0, 200, Data(kIrqBegin, 16).put<std::uint32_t>(12, 0xFFFFFFFF).bytes());
  records.add(0xFFFFFFFF, 300, Data(kIrqEnd, 16).bytes());
}

TEST_CASE("a capture returns the records of its pages and tells where records are missing") {
  tracefs::PageWriter first(1000);
  first.header(2, 5);
  first.data("12345678");
  tracefs::PageWriter second(5000);
  second.header(1, 7);
  second.data("abcd");
  PageCapture capture({});
  capture.add(first.page());
  second.missed_events(42);
  capture.add(second.page(tracefs::kMissed | tracefs::kMissedStored));
  CHECK(capture.bytes() < 200);  // only the used part is kept
  capture.start();
  REQUIRE(capture.front());
  CHECK(capture.front()->ticks == 1005);
  CHECK(tracefs::text_of(capture.front()->data) == "12345678");
  CHECK_FALSE(capture.lost_before_front());
  capture.pop();
  REQUIRE(capture.front());
  CHECK(capture.front()->ticks == 5007);
  CHECK(capture.lost_before_front());
  CHECK(capture.lost_records() == 42);
  capture.pop();
  CHECK(capture.front() == nullptr);
  CHECK(capture.damaged_bytes() == 0);
}

TEST_CASE_METHOD(Fixture, "functions are entered by the thread, not by interrupts on top of it") {
  constexpr std::uint8_t kHardInterrupt = 0x08;
  const auto entry = [](std::uint64_t address, std::uint8_t flags = 0) {
    return Data(kFunction, 24, 7, flags).put(8, address);
  };
  records.add(0, 100, entry(0xffffffff81000100).bytes());
  records.add(0, 200, entry(0xffffffff81000200, kHardInterrupt).bytes());
  records.add(0, 300, entry(0xffffffff81000100).bytes());
  records.add(0, 400, Data(kFunction, 15, 7).bytes());
  const auto& functions = timeline.history(7)->functions();
  REQUIRE(functions.size() == 2);
  CHECK(functions[1].time == 300);
  CHECK(functions[1].address == 0xffffffff81000100);
  CHECK(records.functions().size() == 1);
  CHECK(records.damaged_bytes() == 15);
}

}  // namespace
}  // namespace tailgate::activity
