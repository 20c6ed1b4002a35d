#include "harness/trial/schedule.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/event.h"
#include "harness/base/log_lines.h"

using namespace tailgate;

namespace {

std::vector<std::uint64_t> times(const LoadPlan& plan, unsigned thread, std::size_t count) {
  Schedule schedule(plan, thread, 0);
  std::vector<std::uint64_t> list(count);
  for (std::uint64_t& time : list) time = schedule.next_ns();
  return list;
}

}  // namespace

TEST_CASE("steady: event k of one thread is due at k / rate, without drift") {
  LoadPlan plan;
  plan.shape = Shape::steady;
  plan.rate_hz = 3e6;  // intervals of 333.33… ns: rounding errors would add up
  const auto list = times(plan, 0, 3'000'001);
  CHECK(list[0] == 0);
  CHECK(list[3] == 1000);
  CHECK(list[3'000'000] == 1'000'000'000);
}

TEST_CASE("steady: the threads share the rate and interleave evenly") {
  LoadPlan plan;
  plan.shape = Shape::steady;
  plan.rate_hz = 1000;
  plan.threads = 4;
  std::vector<std::uint64_t> all;
  for (unsigned thread = 0; thread < 4; ++thread) {
    const auto list = times(plan, thread, 250);
    all.insert(all.end(), list.begin(), list.end());
  }
  std::sort(all.begin(), all.end());
  for (std::size_t i = 0; i < all.size(); ++i) CHECK(all[i] == i * 1'000'000);
}

TEST_CASE("steady: recording starts after the warm-up, and the times stay evenly spaced") {
  LoadPlan plan;
  plan.rate_hz = 100;
  plan.warmup_s = 0.25;
  Schedule schedule(plan, 0, 5'000'000'000);
  CHECK(schedule.record_start_ns() == 5'250'000'000);
  CHECK(schedule.next_ns() == 5'000'000'000);
  CHECK(schedule.next_ns() == 5'010'000'000);
}

TEST_CASE("poisson: intervals are exponential with the rate's mean, and independent") {
  LoadPlan plan;
  plan.shape = Shape::poisson;
  plan.rate_hz = 1e6;
  plan.seed = 42;
  constexpr std::size_t kCount = 200'000;
  const auto list = times(plan, 0, kCount);
  std::vector<double> gaps;
  for (std::size_t i = 1; i < kCount; ++i) {
    gaps.push_back(static_cast<double>(list[i] - list[i - 1]) / 1000);
  }
  double product = 0;
  for (std::size_t i = 1; i < gaps.size(); ++i) product += (gaps[i] - 1) * (gaps[i - 1] - 1);
  // Lag-1 autocorrelation of independent intervals: standard error 1/sqrt(n) = .0022.
  CHECK(std::abs(product / static_cast<double>(gaps.size())) < 0.012);

  std::sort(gaps.begin(), gaps.end());
  double distance = 0;  // Kolmogorov-Smirnov against 1 - exp(-x)
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    const double expected = 1 - std::exp(-gaps[i]);
    const double seen = static_cast<double>(i) / static_cast<double>(gaps.size());
    distance = std::max(distance, std::abs(expected - seen));
  }
  // Critical value at p = .001: 1.95 / sqrt(n) = .0044; whole nanoseconds blur by .0005.
  CHECK(distance < 0.005);
}

TEST_CASE("poisson: the seed determines the times, and threads differ") {
  LoadPlan plan;
  plan.shape = Shape::poisson;
  plan.threads = 2;
  const auto first = times(plan, 0, 100);
  CHECK(first == times(plan, 0, 100));
  CHECK(first != times(plan, 1, 100));
  plan.seed = 2;
  CHECK(first != times(plan, 0, 100));
}

TEST_CASE("burst: all events of a burst are due at its start") {
  LoadPlan plan;
  plan.shape = Shape::burst;
  plan.burst_events = 3;
  plan.burst_gap_s = 0.01;
  plan.rate_hz = 300;
  const auto list = times(plan, 0, 7);
  CHECK(list ==
        std::vector<std::uint64_t>{0, 0, 0, 10'000'000, 10'000'000, 10'000'000, 20'000'000});
}

TEST_CASE("ramp: the number of events up to any time is the integral of the rate") {
  const auto rates =
      GENERATE(std::pair{1000.0, 9000.0}, std::pair{9000.0, 1000.0}, std::pair{5000.0, 5000.0});
  LoadPlan plan;
  plan.shape = Shape::ramp;
  plan.rate_hz = rates.first;
  plan.end_rate_hz = rates.second;
  plan.warmup_s = 0.5;
  plan.duration_s = 2;
  const auto list = times(plan, 0, 10'500 + static_cast<std::size_t>(rates.first / 2));
  for (double at_s : {0.1, 0.5, 1.0, 1.7, 2.3, 2.5}) {
    const double in_ramp_s = std::max(0.0, at_s - 0.5);
    const double expected =
        rates.first * at_s + (rates.second - rates.first) / 2 * in_ramp_s * in_ramp_s / 2;
    const auto before =
        std::lower_bound(list.begin(), list.end(), static_cast<std::uint64_t>(at_s * 1e9));
    CHECK(static_cast<double>(before - list.begin()) == Approx(expected).margin(1.01));
  }
  CHECK(std::is_sorted(list.begin(), list.end()));
}

TEST_CASE("skipping counts the same events as asking for each of them") {
  const Shape shape = GENERATE(Shape::steady, Shape::burst, Shape::ramp);
  const double end_rate_hz = GENERATE(900.0, 70'000.0);
  LoadPlan plan;
  plan.shape = shape;
  plan.rate_hz = 33'333;
  plan.end_rate_hz = end_rate_hz;
  plan.threads = 3;
  plan.burst_events = 7;
  plan.burst_gap_s = 0.0003;
  plan.warmup_s = 0.2;
  plan.duration_s = 1;
  constexpr std::uint64_t kStartNs = 1'000'000'007;
  for (const std::uint64_t after_ns : {0, 1, 90'003, 300'000, 199'999'999, 200'000'000, 700'000'001,
                                       1'200'000'000, 1'500'000'000}) {
    Schedule skipping(plan, 1, kStartNs);
    Schedule asking(plan, 1, kStartNs);
    for (int i = 0; i < 3; ++i) CHECK(skipping.next_ns() == asking.next_ns());
    const std::uint64_t until_ns = kStartNs + after_ns;
    std::uint64_t asked = 0;
    std::uint64_t next_ns = asking.next_ns();
    for (; next_ns < until_ns; next_ns = asking.next_ns()) ++asked;
    CHECK(skipping.skip_until(until_ns) == asked);
    CHECK(skipping.next_ns() == next_ns);
  }
  CHECK(Schedule(plan, 1, kStartNs).skip_until(kStartNs - 1) == 0);
}

TEST_CASE("ten billion events are skipped as fast as ten") {
  LoadPlan plan;
  plan.rate_hz = 1e9;
  Schedule schedule(plan, 0, 5);
  CHECK(schedule.skip_until(10'000'000'005) == 10'000'000'000);
  CHECK(schedule.next_ns() == 10'000'000'005);
}

TEST_CASE("poisson: the number of events that are skipped has the mean and variance of its law") {
  LoadPlan plan;
  plan.shape = Shape::poisson;
  plan.rate_hz = 1e6;
  constexpr int kDraws = 4000;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    plan.seed = static_cast<std::uint64_t>(i);
    Schedule schedule(plan, 0, 0);
    const auto skipped = static_cast<double>(schedule.skip_until(100'000));  // 100 expected
    sum += skipped;
    squares += (skipped - 100) * (skipped - 100);
    CHECK(schedule.next_ns() >= 100'000);
    CHECK(schedule.skip_until(50'000) == 0);
  }
  CHECK(sum / kDraws == Approx(100).margin(0.8));     // standard error 0.16
  CHECK(squares / kDraws == Approx(100).margin(12));  // standard error 2.2
}

TEST_CASE("payload sizes follow their distribution and fit the encoding") {
  LoadPlan plan;
  plan.payload = parse_payload("100");
  CHECK(payload_sizes(plan, 0, kBinaryHeaderBytes) == std::vector<std::uint16_t>{100});

  plan.payload = parse_payload("40");
  CHECK(payload_sizes(plan, 0, kTextHeaderBytes) == std::vector<std::uint16_t>{64});

  plan.payload = parse_payload("uniform(100,300)");
  auto sizes = payload_sizes(plan, 0, kBinaryHeaderBytes);
  std::sort(sizes.begin(), sizes.end());
  CHECK(sizes.front() >= 100);
  CHECK(sizes.back() <= 300);
  CHECK(sizes[sizes.size() / 2] == Approx(200).margin(10));

  plan.payload = parse_payload("lognormal(200,2000)");
  sizes = payload_sizes(plan, 0, kBinaryHeaderBytes);
  std::sort(sizes.begin(), sizes.end());
  CHECK(sizes[sizes.size() / 2] == Approx(200).margin(12));
  // The 99th percentile of 4096 draws has a standard error of about 6 %.
  CHECK(sizes[sizes.size() * 99 / 100] == Approx(2000).epsilon(0.25));
  CHECK(max_payload_bytes(plan, kBinaryHeaderBytes) == kMaxEventBytes);
}

TEST_CASE("events of log lines have buffers of their own, of the sizes that are drawn") {
  LoadPlan plan;
  plan.payload = parse_payload("lines(4096)");
  CHECK(payload_text(plan.payload) == "lines(4096)");
  const auto sizes = payload_sizes(plan, 0, kTextHeaderBytes);
  CHECK(sizes.size() == kLogLines);
  CHECK(max_payload_bytes(plan, kTextHeaderBytes) == 4096);
  CHECK(*std::max_element(sizes.begin(), sizes.end()) == 4096);
  EventBuffers buffers = event_buffers(plan, EventEncoding::text);
  const LogLines lines(EventEncoding::text, 4096);
  REQUIRE(buffers.bytes.size() >= (kLogLines - 1) * buffers.stride_bytes + 4096);
  for (std::size_t i = 0; i < kLogLines; ++i) {
    std::byte* const event = &buffers.bytes[i * buffers.stride_bytes];
    stamp_event(event, EventEncoding::text,
                {.run = 1, .thread = 0, .size_bytes = sizes[i], .sequence = 640 + i, .emit_ns = 5});
    EventStamp stamp;
    CHECK(check_event(std::span(event, sizes[i]), EventEncoding::text, lines, stamp) ==
          EventCheck::intact);
  }
}

TEST_CASE("the expected bytes are the sum of the expected events' sizes") {
  LoadPlan plan;
  plan.duration_s = 0;
  plan.warmup_s = 0;
  plan.events = 10'000;
  plan.payload = parse_payload("100");
  CHECK(expected_bytes(plan, kBinaryHeaderBytes) >= 1'000'000);
  CHECK(expected_bytes(plan, kBinaryHeaderBytes) <= 1'001'000);

  plan.payload = parse_payload("uniform(100,300)");
  plan.threads = 3;
  CHECK(static_cast<double>(expected_bytes(plan, kBinaryHeaderBytes)) ==
        Approx(2'000'000).epsilon(0.02));
}

TEST_CASE("impossible payloads and loads are refused with value and remedy") {
  for (const char* text :
       {"", "12", "70000", "uniform(10,20)", "uniform(300,100)", "uniform(100)", "gauss(100,200)",
        "100 ", "lognormal(100,200", "lines", "lines(100)", "lines(70000)", "lines(2000,3000)"}) {
    CHECK_THROWS_WITH(parse_payload(text), Catch::Contains(text) && Catch::Contains("give a size"));
  }
  LoadPlan plan;
  CHECK_NOTHROW(check_load(plan));
  plan.events = 10;
  CHECK_THROWS_WITH(check_load(plan), Catch::Contains("events = 10"));
  plan.duration_s = 0;
  CHECK_NOTHROW(check_load(plan));
  plan.threads = 11;
  CHECK_THROWS_WITH(check_load(plan), Catch::Contains("events = 10"));
  plan = LoadPlan{};
  plan.rate_hz = 0;
  CHECK_THROWS_WITH(check_load(plan), Catch::Contains("rate_hz = 0"));
  plan.rate_hz = 1e9;
  plan.duration_s = 3600;
  CHECK_THROWS_WITH(check_load(plan), Catch::Contains("at most 1e10"));
}
