// Tests the way from a kernel session's file to the slices of a slow call. The fixture writer makes
// the files.
#include "harness/explain/kernel_trace_file.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <tuple>

#include "harness/base/testing/test_directory.h"
#include "harness/etl/kernel_hooks.h"
#include "harness/etl/testing/trace_writer.h"
#include "harness/explain/call_cutter.h"

using namespace tailgate;
using namespace tailgate::etl;
using activity::Cause;
using activity::Slice;
using etw::KernelTraceFile;

namespace {

constexpr std::uint32_t kLoad = 8;
constexpr std::uint32_t kOther = 12;
constexpr std::int64_t kStartRaw = 10'000'000;  // one second in the counter's ticks
constexpr std::uint64_t kStartNs = 1'000'000'000;

// Microseconds after the session's start, converted to the counter's ticks.
std::int64_t raw(std::int64_t us) {
  return kStartRaw + us * 10;
}
std::int64_t at(std::int64_t us) {
  return static_cast<std::int64_t>(kStartNs) + us * 1000;
}

// How the load's thread is switched out: Windows' numbers for thread states and wait reasons.
struct Out {
  std::uint8_t state = 1;         // Ready
  std::uint8_t wait_reason = 32;  // WrPreempted
};

// Writes a trace in which the load runs, a DPC interrupts it, another thread preempts it, and it
// runs again.
void write_trace(const std::filesystem::path& path, const WriterOptions& changed, Out out) {
  WriterOptions options = changed;
  options.start_raw = kStartRaw;
  TraceWriter writer(options);
  writer.add(0, context_switch_record(raw(10), kLoad, 0));
  KernelRecord dpc;
  dpc.hook_id = kHookDpc;
  dpc.time = raw(25);
  dpc.payload = ByteBuilder().u64(static_cast<std::uint64_t>(raw(20))).u64(0xF000).bytes();
  writer.add(0, perf_info_record(dpc));
  writer.add(0, context_switch_record(raw(40), kOther, kLoad, out.state, out.wait_reason));
  writer.add(0, context_switch_record(raw(90), kLoad, kOther));
  writer.flush_all();
  const std::vector<std::uint8_t> bytes = writer.file();
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

struct Read {
  TraceUsed used;
  activity::Timeline timeline{1'000'000'000, 0};
};

Read read(const WriterOptions& options, KernelTraceFile trace = {}, Out out = {}) {
  const TestDirectory folder;
  trace.path = folder.path() / "kernel.etl";
  if (trace.start_ns == 0) trace.start_ns = kStartNs - 1000;
  if (trace.end_ns == 0) trace.end_ns = static_cast<std::uint64_t>(at(200));
  write_trace(trace.path, options, out);
  Read result;
  result.timeline.keep_intervals();
  result.timeline.watch(kLoad);
  result.used = etw::read_kernel_trace(trace, result.timeline);
  return result;
}

}  // namespace

std::vector<Slice> slices_of(const Read& result) {
  activity::CallCutter cutter(result.timeline, {at(0), at(200), true});
  return cutter.cut({.thread = kLoad,
                     .processor = 0,
                     .intended = at(15),
                     .start = at(15),
                     .end = at(100),
                     .usual = 1'000'000});
}

TEST_CASE("a kernel session's file gives a call's slices to the nanosecond") {
  const Read result = read({});
  CHECK(result.used.method == "kernel_trace");
  CHECK(result.used.limits.empty());
  CHECK(result.used.complete);
  CHECK(result.used.start_ns == kStartNs);
  CHECK(result.used.end_ns == static_cast<std::uint64_t>(at(200)));
  CHECK(result.used.bytes > 0);

  const std::vector<Slice> slices = slices_of(result);
  REQUIRE(slices.size() == 5);
  const Cause causes[] = {Cause::running, Cause::softirq, Cause::running, Cause::waiting,
                          Cause::running};
  const std::int64_t ends_us[] = {20, 25, 40, 90, 100};
  std::int64_t begin = at(15);
  for (std::size_t i = 0; i < slices.size(); ++i) {
    INFO(i);
    CHECK(slices[i].cause == causes[i]);
    CHECK(slices[i].begin == begin);
    CHECK(slices[i].end == at(ends_us[i]));
    begin = slices[i].end;
  }
  CHECK(slices[3].thread == kOther);
}

// The numbers are those of KTHREAD_STATE and KWAIT_REASON in Microsoft's CSwitch class and wdm.h.
TEST_CASE("the wait reason of a context switch gives the slice's cause") {
  constexpr std::uint8_t kReady = 1;
  constexpr std::uint8_t kStandby = 3;
  constexpr std::uint8_t kWaiting = 5;
  constexpr std::uint8_t kDeferredReady = 7;
  const std::tuple<std::uint8_t, int, Cause> all[] = {
      {kReady, 32, Cause::waiting},            // WrPreempted
      {kStandby, 31, Cause::waiting},          // WrDispatchInt
      {kDeferredReady, 30, Cause::waiting},    // WrQuantumEnd
      {kReady, 0, Cause::waiting},             // Ready: the wait reason is stale
      {kWaiting, 0, Cause::blocked_other},     // Executive, with no request to storage
      {kWaiting, 2, Cause::blocked_storage},   // PageIn
      {kWaiting, 4, Cause::blocked_sleep},     // DelayExecution
      {kWaiting, 5, Cause::stopped},           // Suspended
      {kWaiting, 6, Cause::blocked_other},     // UserRequest
      {kWaiting, 9, Cause::blocked_storage},   // WrPageIn
      {kWaiting, 11, Cause::blocked_sleep},    // WrDelayExecution
      {kWaiting, 12, Cause::stopped},          // WrSuspended
      {kWaiting, 15, Cause::blocked_other},    // WrQueue
      {kWaiting, 21, Cause::blocked_lock},     // WrKeyedEvent
      {kWaiting, 27, Cause::blocked_lock},     // WrResource
      {kWaiting, 28, Cause::blocked_lock},     // WrPushLock
      {kWaiting, 29, Cause::blocked_lock},     // WrMutex
      {kWaiting, 33, Cause::waiting},          // WrYieldExecution
      {kWaiting, 34, Cause::blocked_lock},     // WrFastMutex
      {kWaiting, 35, Cause::blocked_lock},     // WrGuardedMutex
      {kWaiting, 37, Cause::blocked_lock},     // WrAlertByThreadId
      {kWaiting, 39, Cause::blocked_storage},  // WrPhysicalFault
      {kWaiting, 40, Cause::blocked_other},    // WrIoRing, with no request to storage
      {kWaiting, 41, Cause::blocked_other},    // WrMdlCache
      {kWaiting, 42, Cause::blocked_lock},     // WrRcu
      {kWaiting, 255, Cause::blocked_other},   // none
  };
  for (const auto& [state, reason, cause] : all) {
    INFO("state " << int{state} << ", reason " << reason);
    const Read result = read({}, {}, {state, static_cast<std::uint8_t>(reason)});
    const std::vector<Slice> slices = slices_of(result);
    REQUIRE(slices.size() == 5);
    CHECK(slices[3].cause == cause);
    CHECK(slices[3].begin == at(40));
    CHECK(slices[3].end == at(90));
  }
}

TEST_CASE("a wait's detail is Windows' reason for it") {
  CHECK(slices_of(read({}, {}, {5, 17})).at(3).detail == "WrLpcReply");
  CHECK(slices_of(read({}, {}, {5, 200})).at(3).detail == "unknown");
  CHECK(slices_of(read({}, {}, {1, 32})).at(3).detail.empty());
}

TEST_CASE("losses counted in the file or at the session's stop are in the limits") {
  WriterOptions lossy;
  lossy.events_lost = 3;
  lossy.buffers_lost = 1;
  Read result = read(lossy);
  CHECK_FALSE(result.used.complete);
  REQUIRE(result.used.losses.size() == 1);
  CHECK(result.used.losses[0].cpu == -1);
  CHECK(result.used.losses[0].records == 3);
  CHECK_THAT(result.used.limits, Catch::Contains("1 buffers of records were lost"));

  KernelTraceFile told;
  told.events_lost = 5;
  result = read({}, told);
  CHECK_FALSE(result.used.complete);
  REQUIRE(result.used.losses.size() == 1);
  CHECK(result.used.losses[0].records == 5);
}

TEST_CASE("an early ended session covers the time up to its last record") {
  KernelTraceFile trace;
  trace.ended_early = true;
  const Read result = read({}, trace);
  CHECK_FALSE(result.used.complete);
  CHECK(result.used.end_ns == static_cast<std::uint64_t>(at(90)));
  CHECK_THAT(result.used.limits, Catch::Contains("ended early"));
}

TEST_CASE("a file that is not on the run clock explains nothing and gives the reason") {
  WriterOptions options;
  options.clock_type = 3;
  Read result = read(options);
  CHECK(result.used.method == "none");
  CHECK_THAT(result.used.limits, Catch::Contains("clock 3"));
  CHECK(result.timeline.switches() == 0);

  KernelTraceFile later;  // hours after what the file's header says
  later.start_ns = 20'000'000'000'000;
  later.end_ns = 20'001'000'000'000;
  result = read({}, later);
  CHECK(result.used.method == "none");
  CHECK_THAT(result.used.limits, Catch::Contains("its clock is not the run clock"));
  CHECK(result.timeline.switches() == 0);

  activity::Timeline timeline(1'000'000'000, 0);
  KernelTraceFile missing;
  missing.path = "no such file.etl";
  CHECK(etw::read_kernel_trace(missing, timeline).method == "none");
}
