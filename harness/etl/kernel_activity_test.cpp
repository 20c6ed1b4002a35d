// What KernelActivity reports to harness/activity beyond context switches: system calls, page
// faults, file operations and storage requests. Layouts: Microsoft's SystemCall, PageFault_V2,
// FileIo_V2 and DiskIo classes; the newer FileIo_V3: SystemTraceProvider's manifest.
#include "harness/etl/kernel_activity.h"

#include <catch2/catch.hpp>

#include "harness/etl/testing/trace_writer.h"
#include "harness/etl/trace_reader.h"

using namespace tailgate::etl;
using tailgate::activity::Cause;
using tailgate::activity::FaultKind;
using tailgate::activity::KernelPointFact;
using tailgate::activity::kNoPoint;
using tailgate::activity::MarkKind;
using tailgate::activity::StorageSpan;
using tailgate::activity::ThreadMark;

namespace {

constexpr std::uint32_t kThread = 8;
constexpr std::uint32_t kOther = 12;
constexpr std::uint64_t kKernelBase = 0xFFFFF80000000000;

// Builds the records of one processor, in order, at times after the trace's start.
class Story {
 public:
  void kernel(std::uint16_t hook, std::int64_t time, const ByteBuilder& payload,
              std::uint8_t version = 2) {
    KernelRecord record;
    record.hook_id = hook;
    record.version = version;
    record.time = at(time);
    record.payload = payload.bytes();
    writer_.add(0, perf_info_record(record));
  }
  void switched(std::int64_t time, std::uint32_t new_thread, std::uint32_t old_thread) {
    writer_.add(0, context_switch_record(at(time), new_thread, old_thread));
  }
  void kernel_image(std::int64_t time) {
    ByteBuilder b;
    b.u64(kKernelBase).u64(0x1000).u32(0).zeros(12).u64(0).zeros(16).text16("\\x\\nt.exe");
    kernel(kHookImageRundownEnd, time, b);
  }
  void disk_done(std::uint16_t hook, std::int64_t time, std::uint64_t packet, std::int64_t response,
                 std::uint32_t thread) {
    ByteBuilder b;
    auto ticks = static_cast<std::uint64_t>(response);
    b.u32(0).u32(0);
    if (hook == kHookDiskFlush) {
      b.u64(ticks).u64(packet);
    } else {
      b.u32(4096).u32(0).u64(0).u64(1).u64(packet).u64(ticks);
    }
    kernel(hook, time, b.u32(thread), 3);
  }
  std::int64_t at(std::int64_t time) const { return options_.start_raw + time; }

  KernelActivity told() {
    std::vector<std::uint8_t> bytes = writer_.file();
    TraceFile file(bytes, "story");
    KernelActivity activity(file.header(), file.clock());
    activity.timeline().keep_intervals();
    activity.timeline().watch(kThread);
    TraceReader reader({&file}, ReadOrder::time, 0);
    while (const Record* record = reader.next()) activity.add(*record);
    activity.finish();
    return activity;
  }

 private:
  WriterOptions options_{};
  TraceWriter writer_{options_};
};

void check_span(const StorageSpan& span, std::int64_t begin, std::int64_t end, std::uint32_t thread,
                const char* name) {
  CHECK(span.begin == begin);
  CHECK(span.end == end);
  CHECK(span.thread == thread);
  CHECK(span.name == name);
}

}  // namespace

TEST_CASE("a system call belongs to the running thread and is named after its routine") {
  Story story;
  story.switched(10, kThread, 0);
  story.kernel(kHookSystemCallEnter, 20, ByteBuilder().u64(kKernelBase + 0x20));
  story.kernel(kHookSystemCallExit, 30, ByteBuilder().u32(0));
  story.kernel(kHookSystemCallEnter, 40, ByteBuilder().u64(kKernelBase + 0x40));
  story.kernel(kHookSystemCallExit, 50, ByteBuilder().u32(0xC0000005));
  story.kernel(kHookSystemCallEnter, 60, ByteBuilder().u64(kKernelBase + 0x20));
  story.switched(70, kOther, kThread);
  story.kernel(kHookSystemCallEnter, 80, ByteBuilder().u64(kKernelBase + 0x60));
  story.kernel_image(90);

  KernelActivity activity = story.told();
  const std::vector<ThreadMark>& marks = activity.timeline().history(kThread)->marks();
  REQUIRE(marks.size() == 5);
  CHECK(marks[0].time == story.at(20));
  CHECK(marks[0].kind == MarkKind::system_call_begin);
  CHECK(marks[1].time == story.at(30));
  CHECK(marks[1].kind == MarkKind::system_call_end);
  CHECK(activity.timeline().system_call(marks[0].system_call).name == "nt.exe+0x20");
  CHECK(activity.timeline().system_call(marks[2].system_call).name == "nt.exe+0x40");
  CHECK(marks[4].system_call == marks[0].system_call);
  CHECK(marks[4].in_system_call);
}

TEST_CASE("a soft fault belongs to the running thread, a hard fault to the thread it names") {
  Story story;
  story.switched(10, kThread, 0);
  story.kernel(kHookPageFaultFirst, 20, ByteBuilder().u64(0x1000).u64(0x2000));
  story.kernel(kHookPageFaultLast, 25, ByteBuilder().u64(0x1000).u64(0x2000));
  story.switched(31, kOther, kThread);
  ByteBuilder hard;
  hard.u64(static_cast<std::uint64_t>(story.at(30))).u64(0).u64(1).u64(2);
  story.kernel(kHookHardFault, 70, hard.u32(kThread).u32(8192));
  ByteBuilder older;  // began before its thread's last known time: damage
  older.u64(static_cast<std::uint64_t>(story.at(15))).u64(0).u64(1).u64(2);
  story.kernel(kHookHardFault, 80, older.u32(kThread).u32(4096));

  KernelActivity activity = story.told();
  const std::vector<ThreadMark>& marks = activity.timeline().history(kThread)->marks();
  REQUIRE(marks.size() == 3);
  for (const ThreadMark& mark : marks) CHECK(mark.kind == MarkKind::page_fault);
  CHECK(marks[0].fault_kind == FaultKind::transition);
  CHECK(marks[1].fault_kind == FaultKind::hard);
  CHECK(marks[0].time == story.at(20));
  CHECK(marks[1].time == story.at(30));
  CHECK(marks[2].time == story.at(30));
  CHECK(activity.faults().access_violations == 1);
}

// FileIo_ReadWrite: Offset, IrpPtr, then of version 2 TTID, FileObject, FileKey, IoSize, IoFlags;
// of version 3 FileObject, FileKey, IssuingThreadId, IoSize, IoFlags. FileIo_OpEnd: IrpPtr,
// ExtraInfo, NtStatus. FileIo_SimpleOp of version 3: IrpPtr, FileObject, FileKey, IssuingThreadId.
ByteBuilder file_write(std::uint64_t packet, std::uint32_t thread, int version) {
  ByteBuilder b;
  b.u64(0).u64(packet);
  if (version == 2) return b.u64(thread).u64(0xA0).u64(0xA1).u32(128).u32(0);
  return b.u64(0xA0).u64(0xA1).u32(thread).u32(128).u32(0);
}
ByteBuilder file_flush(std::uint64_t packet, std::uint32_t thread) {
  return ByteBuilder().u64(packet).u64(0xA0).u64(0xA1).u32(thread);
}
ByteBuilder file_end(std::uint64_t packet) {
  return ByteBuilder().u64(packet).u64(128).u32(0);
}

TEST_CASE("a file operation is named from its begin to the end that its own thread sees") {
  constexpr std::uint16_t kWrite = 0x0444;
  constexpr std::uint16_t kFlush = 0x0449;
  constexpr std::uint16_t kEnd = 0x044C;
  Story story;
  story.switched(10, kThread, 0);
  story.kernel(kHookSystemCallEnter, 20, ByteBuilder().u64(kKernelBase + 0x20));
  story.kernel(kWrite, 21, file_write(0x70, kThread, 2), 2);
  story.kernel(kEnd, 25, file_end(0x70));
  story.kernel(kWrite, 30, file_write(0x71, kThread, 3), 3);
  story.kernel(kEnd, 31, file_end(0x99));  // begun before the trace
  story.kernel(kFlush, 32, file_flush(0x72, kThread), 3);
  story.kernel(kWrite, 33, file_write(0x73, kOther, 3), 3);
  story.switched(40, kOther, kThread);
  story.kernel(kEnd, 50, file_end(0x72));  // another thread completes it
  story.switched(60, kThread, kOther);
  story.kernel(kHookSystemCallExit, 70, ByteBuilder().u32(0));
  story.kernel(kWrite, 80, ByteBuilder().u64(0).u32(1));  // cut short

  KernelActivity activity = story.told();
  const std::vector<ThreadMark>& marks = activity.timeline().history(kThread)->marks();
  REQUIRE(marks.size() == 6);
  const auto active = [&](std::size_t i) -> const KernelPointFact& {
    return activity.timeline().kernel_point(marks[i].active);
  };
  CHECK(marks[1].time == story.at(21));
  CHECK(active(1).name == "FileIo/Write");
  CHECK(active(1).cause == Cause::system_call);
  CHECK(active(1).names_call);
  CHECK(marks[2].time == story.at(25));
  CHECK(marks[2].active == kNoPoint);
  CHECK(marks[3].time == story.at(30));
  CHECK(active(3).name == "FileIo/Write");
  CHECK(active(4).name == "FileIo/Flush");
  CHECK(active(4).cause == Cause::fs_writeback);
  CHECK(marks[5].kind == MarkKind::system_call_end);
}

TEST_CASE("the packet's address links the begin and the end of a storage request") {
  Story story;
  story.switched(10, kThread, 0);
  story.kernel(kHookDiskReadInit, 20, ByteBuilder().u64(0x70).u32(kOther), 3);
  story.kernel(kHookDiskWriteInit, 30, ByteBuilder().u64(0x71));
  story.disk_done(kHookDiskWrite, 40, 0x71, 5, kThread);
  story.disk_done(kHookDiskRead, 60, 0x70, 5, kOther);
  story.kernel(kHookDiskFlushInit, 70, ByteBuilder().u64(0x70).u32(kThread), 3);
  story.disk_done(kHookDiskFlush, 90, 0x70, 5, kThread);
  story.disk_done(kHookDiskRead, 95, 0x99, 5, kThread);  // begun before the trace

  KernelActivity activity = story.told();
  const std::vector<StorageSpan>& spans = activity.timeline().storage();
  REQUIRE(spans.size() == 3);
  check_span(spans[0], story.at(20), story.at(60), kOther, "read");
  check_span(spans[1], story.at(30), story.at(40), kThread, "write");
  check_span(spans[2], story.at(70), story.at(90), kThread, "flush");
}

TEST_CASE("without begin records a request's begin follows from its response time") {
  Story story;
  story.switched(10, kThread, 0);
  story.disk_done(kHookDiskWrite, 40, 0x71, 5, kThread);
  story.disk_done(kHookDiskRead, 60, 0x70, 40, kOther);
  story.disk_done(kHookDiskFlush, 90, 0x70, 10, kThread);

  KernelActivity activity = story.told();
  const std::vector<StorageSpan>& spans = activity.timeline().storage();
  REQUIRE(spans.size() == 3);
  check_span(spans[0], story.at(20), story.at(60), kOther, "read");
  check_span(spans[1], story.at(35), story.at(40), kThread, "write");
  check_span(spans[2], story.at(80), story.at(90), kThread, "flush");
}
