// Tests the emit loop with a provider that records the events it gets.
#include "harness/trial/driver.h"

#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <vector>

#include "harness/trial/pacing.h"
#include "harness/trial/schedule.h"

using namespace tailgate;

namespace {

const Clock& run_clock() {
  static const Clock clock(measure_clock());
  return clock;
}

// Keeps the stamp of each event, and delays every hundredth call by a millisecond.
class NotingProvider : public Provider {
 public:
  EmitStatus emit(unsigned, std::span<const std::byte> event) noexcept override {
    EventStamp stamp{};
    intact = intact && check_event(event, EventEncoding::binary, stamp) == EventCheck::intact;
    stamps.push_back(stamp);
    if (stamps.size() % 100 == 0) {
      const std::uint64_t until_ns = run_clock().now_ns() + 1'000'000;
      while (run_clock().now_ns() < until_ns) {
      }
    }
    if (seen_in_call) seen_in_call();
    return stamps.size() % 50 == 0 ? EmitStatus{2} : kAccepted;
  }
  std::vector<std::string> refusal_causes() const override { return {"closed", "full"}; }
  void close() override {}

  std::vector<EventStamp> stamps;
  bool intact = true;
  std::function<void()> seen_in_call;  // called within each call
};

struct Driven {
  // seen_in_call: gets this object within each call.
  explicit Driven(const LoadPlan& load, std::function<void(Driven&)> seen_in_call = {})
      : plan(load), words(3) {
    if (seen_in_call) provider.seen_in_call = [=, this] { seen_in_call(*this); };
    provider.stamps.reserve(100'000);
    for (auto& list : words) list.resize(HistogramWriter::words(layout));
    start_ns = run_clock().now_ns() + 100'000;
    drive_load({.plan = plan,
                .thread = 0,
                .run = 5,
                .encoding = EventEncoding::binary,
                .clock = run_clock(),
                .start_ns = start_ns,
                .stop = stop},
               provider,
               {.progress = *progress,
                .slowest = slowest.data(),
                .slowest_count = 16,
                .slowest_responses = nullptr,
                .slowest_responses_count = 0,
                .service = HistogramWriter(layout, words[0].data()),
                .response = HistogramWriter(layout, words[1].data()),
                .start_lag = HistogramWriter(layout, words[2].data())});
  }
  Histogram recorded(std::size_t metric) const { return snapshot(layout, words[metric].data()); }

  LoadPlan plan;
  HistogramLayout layout{HistogramRange{}};
  std::vector<std::vector<std::uint64_t>> words;
  std::vector<SlowSlot> slowest{16};
  std::unique_ptr<ThreadBlock> progress = std::make_unique<ThreadBlock>();
  std::atomic<std::uint32_t> stop{0};
  NotingProvider provider;
  std::uint64_t start_ns = 0;
};

LoadPlan counted(Shape shape, std::uint64_t events) {
  LoadPlan plan;
  plan.shape = shape;
  plan.rate_hz = 100'000;
  plan.burst_events = 20;
  plan.burst_gap_s = 0.0002;
  plan.warmup_s = 0;
  plan.duration_s = 0;
  plan.events = events;
  plan.seed = 3;
  return plan;
}

}  // namespace

TEST_CASE("schedule lag is the emitted time minus the intended time of each event") {
  const Shape shape = GENERATE(Shape::steady, Shape::poisson, Shape::burst);
  const Driven driven(counted(shape, 2000));
  REQUIRE(driven.provider.stamps.size() == 2000);
  CHECK(driven.provider.intact);
  Schedule schedule(driven.plan, 0, driven.start_ns);
  Histogram expected(driven.layout);
  for (std::size_t i = 0; i < 2000; ++i) {
    const EventStamp& stamp = driven.provider.stamps[i];
    CHECK(stamp.sequence == i);
    CHECK(stamp.run == 5);
    const std::uint64_t intended_ns = schedule.next_ns();
    REQUIRE(stamp.emit_ns >= intended_ns);
    expected.record(stamp.emit_ns - intended_ns);
  }
  CHECK(driven.recorded(2) == expected);
  // One call in a hundred takes a millisecond, so the hundred events after it queue.
  CHECK(expected.value_at_quantile(0.5) > 100'000);
}

TEST_CASE("response time equals lag plus service time for each call") {
  const Driven driven(counted(Shape::steady, 2000));
  const double mean_ns = driven.recorded(0).mean() + driven.recorded(2).mean();
  CHECK(driven.recorded(1).mean() == Approx(mean_ns).epsilon(0.002));
  CHECK(driven.recorded(1).total_count() == 2000);
  CHECK(driven.recorded(0).count_between(1'000'000, 3'600'000'000'000) >= 20);
}

TEST_CASE("refusals are counted by their cause") {
  const Driven driven(counted(Shape::steady, 2000));
  CHECK(driven.progress->refused[0] == 0);
  CHECK(driven.progress->refused[1] == 40);
  CHECK(driven.progress->finished == 2000);
  CHECK(driven.progress->started == 2000);
}

TEST_CASE("closed loop: the next event starts when the previous call has returned") {
  const Driven driven(counted(Shape::max, 500));
  CHECK(driven.recorded(0).total_count() == 500);
  const auto& stamps = driven.provider.stamps;
  for (std::size_t i = 100; i < 500; i += 100) {
    CHECK(stamps[i].emit_ns - stamps[i - 1].emit_ns >= 1'000'000);
  }
}

// So a provider that is killed within a call loses none of the calls before it.
TEST_CASE("closed loop: within a call all calls before it are recorded, the last one as pending") {
  std::uint64_t calls = 0;
  const Driven driven(counted(Shape::max, 300), [&](Driven& seen) {
    const std::uint64_t pending = seen.progress->pending_service_ns.load();
    const std::uint64_t recorded = seen.recorded(0).total_count();
    CHECK(seen.progress->finished.load() == calls);
    CHECK(recorded + (pending != 0 ? 1 : 0) == calls);
    // The hundredth call takes a millisecond.
    if (calls == 100) CHECK(pending > 1'000'000);
    ++calls;
  });
  CHECK(driven.recorded(0).total_count() == 300);
  CHECK(driven.progress->pending_service_ns.load() == 0);
}

TEST_CASE("closed loop in batches: a thread pauses after each, and only then") {
  LoadPlan plan = counted(Shape::max, 99);
  plan.burst_events = 20;
  plan.burst_gap_s = 0.002;
  const Driven driven(plan);
  CHECK(driven.recorded(0).total_count() == 99);
  const auto& stamps = driven.provider.stamps;
  int pauses = 0;
  for (std::size_t i = 1; i < stamps.size(); ++i) {
    const bool paused = stamps[i].emit_ns - stamps[i - 1].emit_ns >= 2'000'000;
    if (i % 20 == 0) CHECK(paused);
    pauses += paused ? 1 : 0;
  }
  // A busy machine may add some, but hardly after every call.
  CHECK(pauses >= 4);
  CHECK(pauses < 98);
}

TEST_CASE("the calls kept as slowest are the slowest ones") {
  const Driven driven(counted(Shape::max, 2000));
  for (const SlowSlot& slot : driven.slowest) {
    CHECK(slot.end_ns - slot.start_ns >= 1'000'000);
  }
}

TEST_CASE("events of the warm-up are emitted, but not recorded") {
  LoadPlan plan = counted(Shape::steady, 300);
  plan.warmup_s = 0.001;  // 100 events
  const Driven driven(plan);
  CHECK(driven.provider.stamps.size() == 400);
  CHECK(driven.recorded(0).total_count() == 300);
}

TEST_CASE("a rate far beyond the sink leaves time to measure: the warm-up does not use it up") {
  LoadPlan plan = counted(Shape::steady, 0);
  plan.rate_hz = 1e9;
  plan.warmup_s = 0.1;
  plan.duration_s = 0.1;
  const Driven driven(plan);
  // A hundred calls take a millisecond, and there is time for a second's worth.
  CHECK(driven.recorded(0).total_count() > 100);
  CHECK(driven.provider.stamps.size() + driven.progress->unissued == 200'000'000);
}

TEST_CASE("pacing counts the time spent spinning") {
  const std::atomic<std::uint32_t> stop{0};
  constexpr std::uint64_t kWaitNs = 5'000'000;
  const auto spun_ns = [&](Pacing pacing) {
    Pacer pacer(pacing, run_clock(), stop);
    const std::uint64_t begin_ns = run_clock().now_ns();
    const std::uint64_t end_ns = pacer.wait_until(begin_ns + kWaitNs);
    CHECK(pacer.spun_ns() <= end_ns - begin_ns);
    pacer.wait_until(begin_ns);  // long past, so no wait
    CHECK(pacer.spun_ns() <= end_ns - begin_ns);
    return pacer.spun_ns();
  };
  // Spin: nearly all of the wait. Hybrid: at most the time left when the sleep ends. Sleep:
  // nothing.
  CHECK(spun_ns(Pacing::spin) > kWaitNs / 2);
  CHECK(spun_ns(Pacing::hybrid) < kWaitNs / 2);
  CHECK(spun_ns(Pacing::sleep) == 0);
}

TEST_CASE("pacing never returns early, for each way of waiting") {
  const Pacing pacing = GENERATE(Pacing::spin, Pacing::hybrid, Pacing::sleep);
  const std::atomic<std::uint32_t> stop{0};
  Pacer pacer(pacing, run_clock(), stop);
  for (std::uint64_t gap_ns : {0, 1'000, 150'000, 2'000'000}) {
    const std::uint64_t intended_ns = run_clock().now_ns() + gap_ns;
    CHECK(pacer.wait_until(intended_ns) >= intended_ns);
  }
  const std::atomic<std::uint32_t> stopped{1};
  const std::uint64_t far_ns = run_clock().now_ns() + 3'600'000'000'000;
  CHECK(Pacer(pacing, run_clock(), stopped).wait_until(far_ns) < far_ns);
}
