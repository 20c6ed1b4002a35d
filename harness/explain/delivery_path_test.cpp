#include "harness/explain/delivery_path.h"

#include <string>
#include <vector>

#include "harness/explain/test_story.h"

namespace tailgate::activity {
namespace {

constexpr std::uint32_t kDaemon = 20;
constexpr std::uint32_t kRelay = 21;
constexpr std::uint32_t kReader = 30;
constexpr std::uint32_t kHog = kOther;
constexpr Ticks kEnd = kAll.end;

// The load runs on processor 0, daemons on 1, the relay on 2, the reader on 3; all others of them
// sleep at first.
class Deliveries {
 public:
  explicit Deliveries(std::vector<std::uint32_t> daemons = {}) {
    carriers_ = {.load = {kLoad}, .daemons = std::move(daemons), .reader = kReader};
    timeline_.keep_intervals();
    for (const std::uint32_t thread : {kLoad, kDaemon, kRelay, kReader}) timeline_.watch(thread);
    timeline_.add(ThreadFact{0, kLoad, kUnknown, "load", true});
    timeline_.add(ThreadFact{0, kDaemon, kUnknown, "daemon", true});
    timeline_.add(ThreadFact{0, kRelay, kUnknown, "relay", true});
    timeline_.add(ThreadFact{0, kReader, kUnknown, "reader", true});
    timeline_.add(ThreadFact{0, kHog, kUnknown, "hog", true});
    runs(0, kLoad);
    runs(0, kDaemon);
    runs(0, kRelay);
    runs(0, kReader);
    sleeps(10, kDaemon);
    sleeps(10, kRelay);
    sleeps(10, kReader);
  }

  static std::uint32_t processor_of(std::uint32_t thread) {
    return thread == kLoad ? 0 : thread == kDaemon ? 1 : thread == kRelay ? 2 : 3;
  }

  void runs(Ticks time, std::uint32_t thread, std::uint32_t instead_of = 0) {
    timeline_.add(ContextSwitch{.time = time,
                                .processor = processor_of(thread),
                                .old_thread = instead_of,
                                .new_thread = thread,
                                .old_was_preempted = instead_of != 0});
  }
  void sleeps(Ticks time, std::uint32_t thread, Wait wait = Wait::interruptible) {
    timeline_.add(ContextSwitch{
        .time = time, .processor = processor_of(thread), .old_thread = thread, .old_wait = wait});
  }
  // Whoever runs on the processor of `waker` wakes the thread.
  void wakes(Ticks time, std::uint32_t waker, std::uint32_t thread, bool by_interrupt = false) {
    timeline_.add(ThreadReady{time, processor_of(waker), thread, by_interrupt});
  }
  // A timer on the thread's own processor wakes it.
  void timer(Ticks time, std::uint32_t thread) { wakes(time, thread, thread, true); }
  Timeline& timeline() { return timeline_; }

  // Slices as "cause:name:length", separated by blanks; checks that they leave nothing out.
  std::string cut(Ticks sent, Ticks seen) {
    timeline_.finish(kEnd);
    CallCutter cutter(timeline_, kAll);
    std::string text;
    Ticks at = sent;
    for (const Slice& slice : DeliveryPath(timeline_, cutter, carriers_).cut(sent, seen)) {
      CHECK(slice.begin == at);
      at = slice.end;
      text += (text.empty() ? "" : " ") + std::string(cause_name(slice.cause)) + ":" + slice.name +
              ":" + std::to_string(slice.end - slice.begin);
    }
    CHECK(at == seen);
    return text;
  }

 private:
  Timeline timeline_{1'000'000'000, 0};
  Carriers carriers_;
};

}  // namespace

TEST_CASE("a reader that slept when the event came is the reason until it wakes") {
  Deliveries story;
  story.timer(1000, kReader);
  story.runs(1030, kReader);
  CHECK(story.cut(400, 1100) == "reader_asleep:reader:600 reader_waiting:idle:30 reader:reader:70");
}

TEST_CASE("what a reader did not find when it looked was still in the program's buffer") {
  Deliveries story;
  for (const Ticks wake : {1000, 2000}) {
    story.timer(wake, kReader);
    story.runs(wake, kReader);
    if (wake == 1000) story.sleeps(1100, kReader);
  }
  CHECK(story.cut(400, 2050) == "program_buffer::700 reader_asleep:reader:900 reader:reader:50");
}

TEST_CASE("a busy reader has the event from the beginning") {
  Deliveries story;
  story.timer(300, kReader);
  story.runs(300, kReader);
  CHECK(story.cut(400, 1100) == "reader:reader:700");
}

TEST_CASE("a reader that another program keeps from its processor waits for that one") {
  Deliveries story;
  story.timer(300, kReader);
  story.runs(300, kReader);
  story.timeline().add(ContextSwitch{.time = 500,
                                     .processor = 3,
                                     .old_thread = kReader,
                                     .new_thread = kHog,
                                     .old_was_preempted = true});
  story.runs(900, kReader, kHog);
  CHECK(story.cut(400, 1000) == "reader:reader:100 reader_waiting:hog:400 reader:reader:100");
}

TEST_CASE("a flush timer ends the time in the session's buffer") {
  Deliveries story({kDaemon});
  story.timer(5000, kDaemon);
  story.runs(5020, kDaemon);
  story.wakes(5100, kDaemon, kReader);
  story.runs(5110, kReader);
  story.sleeps(5150, kDaemon);
  CHECK(story.cut(400, 5200) ==
        "session_buffer:until a timer:4600 daemon_waiting:idle:20 daemon:daemon:80 "
        "reader_waiting:idle:10 reader:reader:90");
}

TEST_CASE("a later call that wakes the daemon ends the time in the program's buffer") {
  Deliveries story({kDaemon});
  story.wakes(5000, kLoad, kDaemon);
  story.runs(5000, kDaemon);
  story.wakes(5100, kDaemon, kReader);
  story.runs(5100, kReader);
  CHECK(story.cut(400, 5200) == "program_buffer::4600 daemon:daemon:100 reader:reader:100");
}

TEST_CASE("a daemon that the call woke has the event, also while others have its processor") {
  Deliveries story({kDaemon});
  story.wakes(390, kLoad, kDaemon);
  story.timeline().add(ContextSwitch{.time = 391, .processor = 1, .new_thread = kHog});
  story.runs(2000, kDaemon, kHog);
  story.wakes(2100, kDaemon, kReader);
  story.runs(2100, kReader);
  CHECK(story.cut(400, 2200) == "daemon_waiting:hog:1600 daemon:daemon:100 reader:reader:100");
}

TEST_CASE("a daemon that waits for storage still has the event") {
  Deliveries story({kDaemon});
  story.wakes(390, kLoad, kDaemon);
  story.runs(395, kDaemon);
  story.timeline().add(StorageRequest{500, kDaemon, 1, 8, true, "1:0 W"});
  story.sleeps(510, kDaemon, Wait::uninterruptible);
  story.timeline().add(StorageRequest{3500, kDaemon, 1, 8, false, ""});
  story.timer(3510, kDaemon);
  story.runs(3510, kDaemon);
  story.wakes(3600, kDaemon, kReader);
  story.runs(3600, kReader);
  CHECK(story.cut(400, 3700) ==
        "daemon:daemon:110 daemon_storage:daemon:3000 daemon:daemon:90 reader:reader:100");
}

TEST_CASE("a reader that polls slept since the daemon was done") {
  Deliveries story({kDaemon});
  story.wakes(390, kLoad, kDaemon);
  story.runs(395, kDaemon);
  story.sleeps(600, kDaemon);
  story.timer(1000, kReader);
  story.runs(1000, kReader);
  CHECK(story.cut(400, 1100) == "daemon:daemon:200 reader_asleep:reader:400 reader:reader:100");
}

TEST_CASE("one daemon hands the event to the next, also through the network") {
  Deliveries story({kDaemon, kRelay});
  story.timer(2000, kDaemon);
  story.runs(2000, kDaemon);
  story.timeline().add(RoutineFact{InterruptKind::deferred, 3, "NET_RX"});
  story.wakes(2100, kDaemon, kRelay, true);
  story.timeline().add(Interrupt{2090, 2110, 1, InterruptKind::deferred, 3});
  story.runs(2120, kRelay);
  story.sleeps(2150, kDaemon);
  story.wakes(2300, kRelay, kReader);
  story.runs(2300, kReader);
  CHECK(story.cut(400, 2400) ==
        "session_buffer:until a timer:1600 daemon:daemon:90 softirq:NET_RX:10 "
        "daemon_waiting:idle:20 daemon:relay:180 reader:reader:100");
}

TEST_CASE("a stopped reader is stopped, not asleep") {
  Deliveries story;
  story.timer(300, kReader);
  story.runs(300, kReader);
  story.sleeps(500, kReader, Wait::stopped);
  story.wakes(2500, kLoad, kReader);
  story.runs(2500, kReader);
  CHECK(story.cut(400, 2600) == "reader:reader:100 stopped::2000 reader:reader:100");
}

TEST_CASE("a reader that the trace does not know leaves the way untraced") {
  Timeline timeline(1'000'000'000, 0);
  timeline.keep_intervals();
  timeline.finish(kEnd);
  CallCutter cutter(timeline, kAll);
  const Carriers carriers{.load = {kLoad}, .daemons = {}, .reader = kReader};
  const std::vector<Slice> slices = DeliveryPath(timeline, cutter, carriers).cut(400, 1100);
  REQUIRE(slices.size() == 1);
  CHECK(slices[0].cause == Cause::untraced);
  CHECK(slices[0].begin == 400);
  CHECK(slices[0].end == 1100);
}

}  // namespace tailgate::activity
