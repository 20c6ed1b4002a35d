#include "providers/planted/planted.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <iterator>
#include <thread>

#include "harness/os/process.h"
#include "harness/os/thread_switches.h"
#include "providers/planted/burner.h"
#include "providers/planted/plant.h"
#include "providers/testing/sinks.h"
#include "providers/testing/test_trial.h"

namespace tailgate {
namespace {

using Catch::Contains;

std::vector<std::uint64_t> call_times_ns(const std::string& sink, int calls) {
  TestTrial trial(sink);
  trial.open();
  const Clock& clock = trial.context().clock;
  std::vector<std::uint64_t> times_ns;
  for (int i = 0; i < calls; ++i) {
    const std::uint64_t start_ns = clock.now_ns();
    CHECK(trial.emit().empty());
    times_ns.push_back(clock.now_ns() - start_ns);
  }
  trial.provider().close();
  return times_ns;
}

TEST_CASE("an option that begins with plant_ wraps any sink") {
  const SinkChoice plain = sink_choice("synthetic:service_ns=100");
  const SinkChoice planted = sink_choice("synthetic:service_ns=100:plant_leak_bytes=0");
  CHECK(plain.type != planted.type);
  CHECK(planted.type->name() == "synthetic");
  CHECK(planted.options.integer("service_ns") == 100);
  CHECK(sink_choice("null:plant_leak_bytes=1").type->name() == "null");
  CHECK_THROWS_WITH(sink_choice("null:plant_leek_bytes=1"),
                    Contains("did you mean 'plant_leak_bytes'?"));
}

TEST_CASE("every event emitted through the wrapper is read back") {
  TestTrial trial("file:plant_tail_share=0.1:plant_tail_ns=1000");
  trial.open();
  for (int i = 0; i < 1000; ++i) CHECK(trial.emit().empty());
  trial.provider().close();
  trial.session().stop();
  CHECK(trial.read_back().sequences.size() == 1000);
}

TEST_CASE("plant_slower_percent=50 makes each call last half as long again") {
  const std::uint64_t plain_ns = 20'000;
  for (const std::uint64_t call_ns :
       call_times_ns("synthetic:service_ns=20_000:plant_slower_percent=50", 50)) {
    CHECK(call_ns >= plain_ns * 3 / 2);
  }
}

TEST_CASE("plant_slower_ns makes each call last so much longer, beside a share of its time") {
  for (const std::uint64_t call_ns : call_times_ns("null:plant_slower_ns=30_000", 50)) {
    CHECK(call_ns >= 30'000 - 100);  // but for half a clock read, at which the loop ends too late
  }
  for (const std::uint64_t call_ns : call_times_ns(
           "synthetic:service_ns=20_000:plant_slower_percent=50:plant_slower_ns=30_000", 20)) {
    CHECK(call_ns >= 20'000 * 3 / 2 + 30'000 - 100);
  }
}

TEST_CASE("plant_tail_share is the share of slow calls") {
  const std::vector<std::uint64_t> times_ns =
      call_times_ns("synthetic:service_ns=0:plant_tail_share=0.1:plant_tail_ns=300_000", 2000);
  const auto slow = std::count_if(times_ns.begin(), times_ns.end(),
                                  [](std::uint64_t ns) { return ns >= 300'000; });
  // Five standard deviations of a binomial distribution of n = 2000 and p = 0.1; above, 50 more for
  // calls that the machine delayed.
  CHECK(slow >= 200 - 67);
  CHECK(slow <= 200 + 67 + 50);
}

TEST_CASE("a call that begins in a planted stall returns after the stall") {
  TestTrial trial("synthetic:service_ns=0:plant_stall_ms=20:plant_stall_every_s=0.04");
  trial.open();
  const Clock& clock = trial.context().clock;
  const std::uint64_t origin_after_ns = [&] {
    trial.emit();  // the first stall lasts from 20 to 40 ms after this call's start
    return clock.now_ns();
  }();
  bool held = false;
  for (int i = 0; i < 100'000'000 && clock.now_ns() < origin_after_ns + 100'000'000; ++i) {
    const std::uint64_t start_ns = clock.now_ns();
    trial.emit();
    held = held || clock.now_ns() - start_ns > 5'000'000;
  }
  CHECK(held);
  CHECK_THROWS_WITH(TestTrial("null:plant_stall_ms=1000:plant_stall_every_s=1"),
                    Contains("leaves no time between stalls"));
}

// The places of the calls that took at least slow_ns.
std::vector<std::size_t> slow_places(const std::vector<std::uint64_t>& times_ns,
                                     std::uint64_t slow_ns) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < times_ns.size(); ++i) {
    if (times_ns[i] >= slow_ns) places.push_back(i);
  }
  return places;
}

TEST_CASE("plant_tail_burst gathers the slow calls and keeps their share") {
  constexpr std::size_t kBurst = 20;
  const std::vector<std::size_t> slow =
      slow_places(call_times_ns("null:plant_tail_share=0.1:plant_tail_ns=200_000:"
                                "plant_tail_burst=20",
                                4000),
                  200'000);
  std::size_t bursts = 0;
  for (std::size_t i = 0; i < slow.size(); ++i) {
    bursts += i == 0 || slow[i] != slow[i - 1] + 1 ? 1 : 0;
  }
  // 20 bursts are expected in 4000 calls, with a standard deviation below that of a Poisson count,
  // which is 4.5: five of them either way, and above that 50 calls that the machine delayed.
  constexpr std::size_t kMostBursts = 43;
  CHECK(slow.size() >= 2 * kBurst);
  CHECK(slow.size() <= kMostBursts * kBurst + 50);
  CHECK(bursts <= kMostBursts + 50);
  // Slow calls that are drawn one by one seldom follow each other.
  CHECK(slow.size() >= (bursts > 50 ? bursts - 50 : 1) * kBurst / 2);
}

TEST_CASE("another run draws other calls for the tail") {
  TestTrial trial("null:plant_tail_share=0.05:plant_tail_ns=200_000");
  const SinkChoice sink = sink_choice("null:plant_tail_share=0.05:plant_tail_ns=200_000");
  const auto slow_of_run = [&](std::uint32_t run) {
    TrialContext context = trial.context();
    context.run = run;
    const std::unique_ptr<Provider> provider = sink.type->open_provider(context);
    std::vector<std::uint64_t> times_ns;
    const std::vector<std::byte> event(128);
    for (int i = 0; i < 1000; ++i) {
      const std::uint64_t start_ns = context.clock.now_ns();
      provider->emit(0, event);
      times_ns.push_back(context.clock.now_ns() - start_ns);
    }
    return slow_places(times_ns, 200'000);
  };
  const auto in_common = [](const std::vector<std::size_t>& one,
                            const std::vector<std::size_t>& other) {
    std::vector<std::size_t> both;
    std::set_intersection(one.begin(), one.end(), other.begin(), other.end(),
                          std::back_inserter(both));
    return both.size();
  };
  const std::vector<std::size_t> first = slow_of_run(1);
  REQUIRE(first.size() >= 15);
  CHECK(in_common(first, slow_of_run(1)) >= 15);
  // By chance one in twenty.
  CHECK(in_common(first, slow_of_run(2)) < first.size() / 2);
}

TEST_CASE("a sleeping tail blocks its caller, a spinning one does not") {
  if (!thread_switches()) return;  // this system does not count them by thread
  const auto blocked = [](const std::string& how) {
    TestTrial trial("null:plant_tail_share=1:plant_tail_ns=100_000:plant_sleep=" + how);
    trial.open();
    const std::uint64_t before = thread_switches()->voluntary;
    for (int i = 0; i < 50; ++i) trial.emit();
    return thread_switches()->voluntary - before;
  };
  CHECK(blocked("true") >= 50);
  CHECK(blocked("false") < 10);
}

// Makes calls for 20 s at most. Returns whether one of them blocked and lasted min_ns or longer.
bool any_blocks(const std::string& sink, std::uint64_t min_ns, int max_calls) {
  TestTrial trial(sink);
  trial.open();
  const Clock& clock = trial.context().clock;
  const std::uint64_t deadline_ns = clock.now_ns() + 20'000'000'000;
  bool blocks = false;
  for (int i = 0; i < max_calls && !blocks && clock.now_ns() < deadline_ns; ++i) {
    const std::uint64_t before = thread_switches()->voluntary;
    const std::uint64_t start_ns = clock.now_ns();
    trial.emit();
    blocks = clock.now_ns() - start_ns >= min_ns && thread_switches()->voluntary > before;
  }
  trial.provider().close();
  return blocks;
}

TEST_CASE("a call waits for a lock that the planted thread holds") {
  if (!thread_switches()) return;
  constexpr int kMaxCalls = 1'000'000'000;
  CHECK(any_blocks("null:plant_lock_us=5000:plant_lock_every_us=10000", 2'000'000, kMaxCalls));
  CHECK_FALSE(any_blocks("null:plant_lock_us=0", 0, 10'000));
  CHECK_THROWS_WITH(TestTrial("null:plant_lock_us=1000:plant_lock_every_us=1000"),
                    Contains("leaves no time between holds"));
}

TEST_CASE("plant_loss_share drops events and counts them as lost") {
  TestTrial trial("file:plant_loss_share=0.05");
  trial.open();
  for (int i = 0; i < 2000; ++i) CHECK(trial.emit().empty());
  trial.provider().close();
  trial.session().stop();
  const std::size_t kept = trial.read_back().sequences.size();
  CHECK(kept + trial.lost() == 2000);
  // Five standard deviations of a binomial distribution of n = 2000 and p = 0.05.
  CHECK(trial.lost() >= 100 - 49);
  CHECK(trial.lost() <= 100 + 49);
  REQUIRE(trial.provider().losses().size() == 1);
  CHECK(trial.provider().losses().front().cause == "planted");
}

TEST_CASE("plant_thread changes the calls of one load thread") {
  TestTrial trial("file:plant_thread=1:plant_loss_share=1", 2);
  trial.open();
  for (int i = 0; i < 100; ++i) {
    trial.emit(0);
    trial.emit(1);
  }
  trial.provider().close();
  trial.session().stop();
  CHECK(trial.lost() == 100);
  CHECK(trial.read_back().sequences.size() == 100);
}

TEST_CASE("plant_over_bytes changes calls with longer events alone") {
  for (const std::size_t bytes : {128, 4096, 4097, 8000}) {
    TestTrial trial("file:plant_over_bytes=4096:plant_loss_share=1", 1, 100, bytes);
    trial.open();
    for (int i = 0; i < 10; ++i) trial.emit();
    trial.provider().close();
    CHECK(trial.lost() == (bytes > 4096 ? 10 : 0));
  }
}

TEST_CASE("plant_after_s changes calls that begin later alone") {
  TestTrial trial("null:plant_after_s=0.3:plant_loss_share=1");
  trial.open();
  const Clock& clock = trial.context().clock;
  const std::uint64_t before_first_ns = clock.now_ns();
  trial.emit();
  const std::uint64_t after_first_ns = clock.now_ns();
  CHECK(trial.lost() == 0);
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
  for (int i = 0; i < 100'000'000 && trial.lost() == 0; ++i) {
    start_ns = clock.now_ns();
    trial.emit();
    end_ns = clock.now_ns();
    // Whatever the machine does meanwhile, no call before the time is changed, …
    if (trial.lost() > 0) CHECK(end_ns - before_first_ns >= 300'000'000);
    if (start_ns - after_first_ns >= 300'000'000) break;
  }
  CHECK(trial.lost() == 1);  // … and every call after it is.
}

TEST_CASE("opening and closing take longer by plant_start_ms and plant_stop_ms") {
  TestTrial trial("null:plant_start_ms=30:plant_stop_ms=20");
  const Clock& clock = trial.context().clock;
  const std::uint64_t start_ns = clock.now_ns();
  trial.open();
  CHECK(clock.now_ns() - start_ns >= 30'000'000);
  trial.emit();
  const std::uint64_t close_ns = clock.now_ns();
  trial.provider().close();
  CHECK(clock.now_ns() - close_ns >= 20'000'000);
  trial.provider().close();
}

TEST_CASE("a leak grows by pieces of any size") {
  Leak leak;
  for (const std::size_t bytes : {1u, 63u, 65'535u, 65'536u, 200'000u}) leak.grow(bytes);
}

TEST_CASE("a planted daemon spends plant_daemon_ns for each event") {
  if (!burner_available()) {
    const SinkChoice planted = sink_choice("null:plant_daemon_ns=50_000");
    CHECK_FALSE(planted.type->probe(planted.options).available);
    return;
  }
  constexpr std::uint64_t kEvents = 2000;
  constexpr std::uint64_t kNsPerEvent = 50'000;
  TestTrial trial("null:plant_daemon_ns=50_000");
  const std::vector<DaemonProcess> daemons = trial.session().daemons();
  REQUIRE(daemons.size() == 1);
  const auto used_ns = [&] { return process_cpu_ns(daemons[0].pid).value_or(0); };
  trial.open();
  const std::uint64_t before_ns = used_ns();
  for (std::uint64_t i = 0; i < kEvents; ++i) trial.emit();
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (used_ns() - before_ns < kEvents * kNsPerEvent &&
         std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  CHECK(used_ns() - before_ns >= kEvents * kNsPerEvent * 9 / 10);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  CHECK(used_ns() - before_ns <= kEvents * kNsPerEvent * 12 / 10);
  trial.session().stop();
  CHECK_FALSE(process_cpu_ns(daemons[0].pid).has_value());
}

TEST_CASE("a planted daemon's processor time before the first event is not counted as work") {
  if (!burner_available()) return;
  constexpr std::uint64_t kEvents = 2000;
  constexpr std::uint64_t kNsPerEvent = 1'000;
  TestTrial trial("null:plant_daemon_ns=1_000");
  const int daemon = trial.session().daemons().at(0).pid;
  const auto used_ns = [&] { return process_cpu_ns(daemon).value_or(0); };
  trial.open();
  // It polls every millisecond, so that it has soon used twice what the events will be worth.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (used_ns() < 2 * kEvents * kNsPerEvent && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  const std::uint64_t before_ns = used_ns();
  REQUIRE(before_ns >= 2 * kEvents * kNsPerEvent);
  for (std::uint64_t i = 0; i < kEvents; ++i) trial.emit();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  CHECK(used_ns() - before_ns >= kEvents * kNsPerEvent * 9 / 10);
}

TEST_CASE("plant_daemon=true starts a daemon that uses no processor time") {
  if (!burner_available()) return;
  TestTrial trial("null:plant_daemon=true");
  const std::vector<DaemonProcess> daemons = trial.session().daemons();
  REQUIRE(daemons.size() == 1);
  trial.open();
  for (int i = 0; i < 2000; ++i) trial.emit();
  // After its start it sleeps for good; it does not poll.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  std::optional<std::uint64_t> before_ns;
  std::optional<std::uint64_t> used_ns = process_cpu_ns(daemons[0].pid);
  do {
    before_ns = used_ns;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    used_ns = process_cpu_ns(daemons[0].pid);
  } while (used_ns != before_ns && std::chrono::steady_clock::now() < deadline);
  REQUIRE(used_ns.has_value());
  CHECK(used_ns == before_ns);
}

}  // namespace
}  // namespace tailgate
