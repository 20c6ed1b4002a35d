// Puts a kernel session's records on a timeline in nanoseconds of the run clock. The expected times
// are multiples: 100 ns per tick of a 10 MHz counter, half a ns per cycle at 2 GHz.
#include "harness/etl/run_times.h"

#include <catch2/catch.hpp>

#include "harness/base/error.h"
#include "harness/etl/kernel_activity.h"
#include "harness/etl/testing/trace_writer.h"
#include "harness/etl/trace_reader.h"

using namespace tailgate;
using namespace tailgate::etl;
using activity::Timeline;

namespace {

constexpr std::uint32_t kRunThread = 8;
constexpr std::uint32_t kOtherThread = 12;

// A session clock: the run clock's zero relative to the session's start, and the length of a tick.
struct ClockCase {
  const char* name;
  ClockParameters run;
  ClockType session;
  std::uint32_t cpu_mhz;
  std::int64_t ticks_per_us;
};

constexpr std::int64_t kStartRaw = 40'000'000'000;
constexpr std::int64_t kStartNs = 5'000'000;

// The run clock is the operating system's clock minus a base; the counter shows 4000 s there.
ClockCase counter_case() {
  ClockCase made{"counter", {}, ClockType::performance_counter, 2000, 10};
  made.run.kind = ClockKind::os_monotonic;
  made.run.base_ticks = 4'000'000'000'000 - kStartNs;
  return made;
}

ClockCase cycles_case() {
  ClockCase made{"cycles", {}, ClockType::cpu_cycles, 1999, 2000};
  made.run.kind = ClockKind::tsc;
  made.run.multiplier = std::uint64_t{1} << 63;
  made.run.base_ticks = kStartRaw - kStartNs * 2;
  return made;
}

WriterOptions writer_options(const ClockCase& clock) {
  WriterOptions options;
  options.start_raw = kStartRaw;
  options.clock_type = static_cast<std::uint32_t>(clock.session);
  options.clock_hz = 10'000'000;
  options.cpu_mhz = clock.cpu_mhz;
  return options;
}

// Builds the records of one processor, at microseconds after the session's start.
class RunStory {
 public:
  explicit RunStory(const ClockCase& clock) : clock_(clock), writer_(writer_options(clock)) {}

  std::int64_t raw(std::int64_t us) const { return kStartRaw + us * clock_.ticks_per_us; }
  void kernel(std::uint16_t hook, std::int64_t us, const ByteBuilder& payload) {
    KernelRecord record;
    record.hook_id = hook;
    record.version = 3;
    record.time = raw(us);
    record.payload = payload.bytes();
    writer_.add(0, perf_info_record(record));
  }
  void switched(std::int64_t us, std::uint32_t new_thread, std::uint32_t old_thread) {
    writer_.add(0, context_switch_record(raw(us), new_thread, old_thread));
  }
  ByteBuilder since(std::int64_t us) const {
    return ByteBuilder().u64(static_cast<std::uint64_t>(raw(us)));
  }
  void tell(Timeline& timeline) {
    const std::vector<std::uint8_t> bytes = writer_.file();
    const TraceFile file(bytes, clock_.name);
    const RunTimes times(file.header(), Clock(clock_.run));
    CHECK(times.start_ns() == kStartNs);
    KernelActivity activity(timeline, times);
    TraceReader reader({&file}, ReadOrder::time, 0);
    while (const Record* record = reader.next()) {
      Record on_run_clock = *record;
      on_run_clock.time = times.time_ns(record->time);
      activity.add(on_run_clock);
    }
    activity.finish(at(1000));
  }
  static activity::Ticks at(std::int64_t us) { return kStartNs + us * 1000; }

 private:
  const ClockCase& clock_;
  TraceWriter writer_;
};

}  // namespace

TEST_CASE("a session's records are converted to the run clock to the nanosecond") {
  for (const ClockCase& clock : {counter_case(), cycles_case()}) {
    INFO(clock.name);
    RunStory story(clock);
    story.switched(10, kRunThread, 0);
    story.kernel(kHookIsr, 24, story.since(21).u64(0xF000));
    story.kernel(kHookDpc, 29, story.since(25).u64(0xF100));
    story.kernel(kHookPageFaultFirst, 31, ByteBuilder().u64(0x1000).u64(0x2000));
    story.switched(41, kOtherThread, kRunThread);
    // The response time is in ticks of the performance counter, whatever the session's clock: 10
    // MHz.
    story.kernel(kHookDiskWrite, 60,
                 ByteBuilder().u32(0).u32(0).u32(4096).u32(0).u64(0).u64(1).u64(0x71).u64(150).u32(
                     kRunThread));
    story.kernel(kHookHardFault, 70,
                 story.since(44).u64(0).u64(1).u64(2).u32(kRunThread).u32(4096));
    story.kernel(kHookReadyThread, 80, ByteBuilder().u32(kRunThread).u32(0));
    story.switched(90, kRunThread, kOtherThread);

    Timeline timeline(1'000'000'000, 0);
    timeline.keep_intervals();
    timeline.watch(kRunThread);
    story.tell(timeline);

    const auto interrupts = timeline.interrupts(0);
    REQUIRE(interrupts.size() == 2);
    CHECK(interrupts[0].begin == RunStory::at(21));
    CHECK(interrupts[0].end == RunStory::at(24));
    CHECK(interrupts[1].begin == RunStory::at(25));
    CHECK(interrupts[1].end == RunStory::at(29));

    const activity::RunInterval* run = timeline.who_ran(0, RunStory::at(40));
    REQUIRE(run != nullptr);
    CHECK(run->begin == RunStory::at(10));
    CHECK(run->end == RunStory::at(41));
    run = timeline.who_ran(0, RunStory::at(500));
    REQUIRE(run != nullptr);
    CHECK(run->begin == RunStory::at(90));
    CHECK(run->end == RunStory::at(1000));

    REQUIRE(timeline.storage().size() == 1);
    CHECK(timeline.storage()[0].begin == RunStory::at(45));
    CHECK(timeline.storage()[0].end == RunStory::at(60));

    const auto& marks = timeline.history(kRunThread)->marks();
    REQUIRE(marks.size() == 2);
    CHECK(marks[0].time == RunStory::at(31));
    CHECK(marks[1].time == RunStory::at(44));
    REQUIRE(timeline.ready_threads().size() == 1);
    CHECK(timeline.ready_threads()[0].ready.time == RunStory::at(80));
  }
}

TEST_CASE("a session that does not count what the run clock counts is refused") {
  const ClockCase counter = counter_case();
  const ClockCase cycles = cycles_case();
  LogFileHeader header;
  header.clock_hz = 10'000'000;
  header.clock_type = ClockType::performance_counter;
  CHECK_THROWS_WITH(RunTimes(header, Clock(cycles.run)), Catch::Contains("clock 1"));
  header.clock_type = ClockType::cpu_cycles;
  CHECK_THROWS_WITH(RunTimes(header, Clock(counter.run)), Catch::Contains("clock 3"));
  header.clock_hz = 0;
  CHECK_THROWS_WITH(RunTimes(header, Clock(cycles.run)), Catch::Contains("0 ticks"));
}

TEST_CASE("times before the run clock's zero are 0") {
  LogFileHeader header;
  header.clock_hz = 10'000'000;
  header.start_raw = 1;
  const ClockCase counter = counter_case();
  const RunTimes times(header, Clock(counter.run));
  CHECK(times.start_ns() == 0);
  CHECK(times.time_ns(-5) == 0);
  CHECK(times.counter_ns(-5) == 0);
}

TEST_CASE("damaged times saturate") {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  LogFileHeader header;
  header.clock_hz = 1;
  const ClockCase counter = counter_case();
  const RunTimes times(header, Clock(counter.run));
  CHECK(times.time_ns(kMost) == kMost);
  CHECK(times.counter_ns(kMost) == kMost);
  CHECK(times.counter_ns(10'000'000'000) == kMost);  // more than 292 years
  CHECK(times.counter_ns(9'000'000'000) == 9'000'000'000'000'000'000);
}
