// Calls and samples that are made up, so that the time in each part is known.
#include "harness/run/duet/call_parts.h"

#include <catch2/catch.hpp>

#include "harness/explain/test_story.h"

namespace tailgate {
namespace {

using activity::kLoad;
using activity::PartName;
using activity::SideAmounts;
using activity::Story;
using profile::SampledRole;

constexpr unsigned kCalls = 150;
constexpr std::uint64_t kApartNs = 50'000;
constexpr std::uint32_t kWrite = 1;

// The load thread's calls. Each takes 1000 ns, of which a system call takes 300 from 600 on.
class Calls {
 public:
  Calls() {
    samples.rate_hz = 1000;
    samples.kernel = true;
    trace.end_ns = activity::kAll.end;
    trace.system_calls = true;
    for (std::uint64_t i = 0; i < kCalls; ++i) {
      log.push_back({begin(i), begin(i), begin(i) + 1000, 0, CallKind::unremarkable, 0});
    }
  }

  static std::uint64_t begin(std::uint64_t call) { return 1000 + kApartNs * call; }

  void enter_kernel() {
    for (const CallRecord& call : log) {
      story.enters(static_cast<activity::Ticks>(call.start_ns) + 600, kWrite);
      story.leaves(static_cast<activity::Ticks>(call.start_ns) + 900, kWrite);
    }
  }

  // functions: from the one that ran outwards, as "name module".
  void sample(std::uint64_t time_ns, const std::vector<std::pair<const char*, const char*>>& stack,
              std::uint32_t thread = kLoad, SampledRole role = SampledRole::load) {
    profile::StackSample& sample = samples.list.emplace_back();
    sample.time_ns = time_ns;
    sample.thread = thread;
    sample.role = role;
    for (const auto& [name, module] : stack) {
      sample.functions.push_back(samples.functions.place_of(name, module));
    }
  }

  CallParts parts(unsigned dropped = 0) {
    story.timeline().finish(activity::kAll.end);
    return call_parts({.timeline = story.timeline(),
                       .trace = trace,
                       .samples = samples,
                       .threads = {{kLoad, log}},
                       .dropped_per_turn = dropped});
  }

  Story story;
  TraceUsed trace;
  profile::Samples samples;
  std::vector<CallRecord> log;
};

double sum(const SideAmounts& times) {
  double ns = 0;
  for (const auto& [part, part_ns] : times.parts) ns += part_ns;
  return ns;
}

TEST_CASE("a call's time is cut by cause, and all of it is there") {
  Calls calls;
  calls.enter_kernel();
  const SideAmounts call = calls.parts().call;
  CHECK(call.whole == Approx(1000));
  CHECK(sum(call) == Approx(1000));
  CHECK(call.parts.at({"running"}) == Approx(700));
  CHECK(call.parts.at({"syscall", "write"}) == Approx(300));
}

TEST_CASE("own code is divided by the functions that were sampled in it") {
  Calls calls;
  calls.enter_kernel();
  for (std::uint64_t i = 0; i < 40; ++i) {
    calls.sample(Calls::begin(i) + 100, {{i % 4 == 0 ? "log" : "checksum", "mylog.so"}});
    calls.sample(Calls::begin(i) + 2000, {{"wait", "tailgate"}});  // between calls
  }
  const SideAmounts call = calls.parts().call;
  CHECK(sum(call) == Approx(1000));
  CHECK(call.parts.at({"function", "checksum", "mylog.so"}) == Approx(525));
  CHECK(call.parts.at({"function", "log", "mylog.so"}) == Approx(175));
  CHECK(call.parts.at({"syscall", "write"}) == Approx(300));
  CHECK(call.parts.size() == 3);
}

TEST_CASE("system calls and functions of the C library are named with their caller") {
  Calls calls;
  calls.enter_kernel();
  for (std::uint64_t i = 0; i < 8; ++i) {
    calls.sample(Calls::begin(i) + 700, {{"ext4_write", "ext4"},
                                         {"do_syscall_64", "kernel"},
                                         {"write", "libc.so.6"},
                                         {i % 4 == 0 ? "rotate" : "log", "mylog.so"},
                                         {"main", "tailgate"}});
    calls.sample(Calls::begin(i) + 200, {{"memcpy", "libc.so.6"}, {"log", "mylog.so"}});
  }
  const SideAmounts call = calls.parts().call;
  const PartName write{"syscall", "write"};
  CHECK(call.callers.at(write).at("log") == Approx(0.75));
  CHECK(call.callers.at(write).at("rotate") == Approx(0.25));
  const PartName copy{"function", "memcpy", "libc.so.6"};
  CHECK(call.parts.at(copy) == Approx(700));
  CHECK(call.callers.at(copy).at("log") == 1);
}

TEST_CASE("functions of the C++ library and of the vDSO are named with their caller") {
  Calls calls;
  for (std::uint64_t i = 0; i < 8; ++i) {
    calls.sample(Calls::begin(i) + 200, {{"[vdso]", profile::kVdso},
                                         {"clock_gettime", "libc.so.6"},
                                         {"steady_clock::now", "libstdc++.so.6.0.30"},
                                         {"compact", "mylog.so"}});
  }
  const SideAmounts call = calls.parts().call;
  CHECK(call.callers.at({"function", "[vdso]", profile::kVdso}).at("compact") == 1);
}

TEST_CASE("the interrupt in which a sample was taken does not count") {
  Calls calls;
  for (const std::uint64_t call : {3, 4}) {
    const auto at = static_cast<activity::Ticks>(Calls::begin(call)) + 400;
    calls.log[call].end_ns += 5000;
    calls.story.timeline().add(activity::Interrupt{.begin = at, .end = at + 5000, .routine = 1});
  }
  calls.sample(Calls::begin(3) + 450, {{"log", "mylog.so"}});
  const CallParts parts = calls.parts();
  CHECK(parts.call.whole == Approx(1000));
  CHECK(parts.slow_call.whole == Approx(6000));  // the other one
  CHECK(parts.slow_call.parts.size() == 2);
  CHECK(parts.call.parts.at({"function", "log", "mylog.so"}) == Approx(1000));
}

TEST_CASE("a sample on the way into a system call belongs to it, with the gap that it made") {
  Calls calls;
  calls.enter_kernel();
  for (std::uint64_t i = 0; i < 10; ++i) {
    const auto at = static_cast<activity::Ticks>(Calls::begin(i)) + 590;
    calls.sample(Calls::begin(i) + (i < 5 ? 595 : 300),
                 {{"entry", "kernel"}, {"write", "libc.so.6"}, {"log", "mylog.so"}});
    if (i >= 5)
      calls.samples.list.back().functions = {calls.samples.functions.place_of("log", "mylog.so")};
    if (i >= 5) continue;
    calls.story.timeline().add(activity::Interrupt{.begin = at, .end = at + 8, .routine = 1});
  }
  const SideAmounts call = calls.parts().call;
  CHECK(call.parts.at({"syscall", "write"}) == Approx(650).epsilon(0.01));
  CHECK(call.parts.at({"function", "log", "mylog.so"}) == Approx(350).epsilon(0.01));
  CHECK(call.callers.at({"syscall", "write"}).at("log") == 1);
}

TEST_CASE("for the history a call's causes are the trace's, whatever the samples say") {
  const int on_the_way = GENERATE(0, 3, 12);
  Calls calls;
  calls.enter_kernel();
  for (int i = 0; i < 12; ++i) {
    const auto begin = Calls::begin(static_cast<std::uint64_t>(i));
    if (i < on_the_way) {
      calls.sample(begin + 590, {{"entry_SYSCALL_64", "kernel"}, {"log", "mylog.so"}});
    } else {
      calls.sample(begin + 100, {{"log", "mylog.so"}});
    }
  }
  const SideAmounts call = calls.parts().call;
  CHECK(call.parts.count({"syscall", "write"}) == 1);
  CHECK(call.causes.size() == 2);
  CHECK(call.causes.at({"running"}) == Approx(700));
  CHECK(call.causes.at({"syscall", "write"}) == Approx(300));
}

TEST_CASE("a sample of own code right after a system call does not belong to that call") {
  Calls calls;
  calls.enter_kernel();
  for (std::uint64_t i = 0; i < 10; ++i) {
    const auto at = static_cast<activity::Ticks>(Calls::begin(i)) + 900;
    calls.sample(Calls::begin(i) + 905, {{"encode", "mylog.so"}});
    calls.story.timeline().add(activity::Interrupt{.begin = at, .end = at + 8, .routine = 1});
  }
  const SideAmounts call = calls.parts().call;
  CHECK(call.parts.at({"syscall", "write"}) == Approx(300).epsilon(0.01));
  CHECK(call.parts.at({"function", "encode", "mylog.so"}) == Approx(700).epsilon(0.01));
}

// A sample every 0.2 ms hits a fifth of the calls that compute for 41 us, and makes them longer.
TEST_CASE("a function that computes for long has its time, and samples change no call's") {
  Calls calls;
  calls.samples.rate_hz = 5000;
  for (std::uint64_t i = 0; i < kCalls; i += 3) {
    calls.log[i].end_ns += 40'000;
    if (i % 15 != 0) continue;
    const std::uint64_t at_ns = Calls::begin(i) + 1000 + 250 * i;
    const auto at = static_cast<activity::Ticks>(at_ns);
    calls.log[i].end_ns += 7'000;
    calls.story.timeline().add(activity::Interrupt{.begin = at, .end = at + 7000, .routine = 1});
    calls.sample(at_ns + 100, {{"compress", "mylog.so"}});
  }
  const SideAmounts call = calls.parts().call;
  CHECK(call.whole == Approx((100 * 1000 + 50 * 41'000) / 150.0).epsilon(0.02));
  CHECK(sum(call) == Approx(call.whole));
  // Ten samples of 0.2 ms each, in 150 calls.
  CHECK(call.parts.at({"function", "compress", "mylog.so"}) == Approx(2'000'000.0 / 150));
  CHECK(call.parts.at({"machine"}) == Approx(call.whole - 2'000'000.0 / 150));
}

// Four of 150 calls compute for 20 us and more, and one of the four is sampled: it stays a slow
// call.
TEST_CASE("a sampled slow call is a slow call, and its sample is of one") {
  Calls calls;
  calls.enter_kernel();
  calls.samples.rate_hz = 5000;
  for (const std::uint64_t i : {20, 60, 100, 140}) {
    calls.log[i].end_ns += 20'000 + 100 * i;
    if (i != 140) continue;
    const std::uint64_t at_ns = Calls::begin(i) + 15'000;
    const auto at = static_cast<activity::Ticks>(at_ns);
    calls.log[i].end_ns += 7'000;
    calls.story.timeline().add(activity::Interrupt{.begin = at, .end = at + 7000, .routine = 1});
    calls.sample(at_ns + 100, {{"compress", "mylog.so"}});
  }
  for (std::uint64_t i = 0; i < 5; ++i) {
    calls.sample(Calls::begin(i) + 200, {{"log", "mylog.so"}});
  }
  const SideAmounts slow = calls.parts().slow_call;
  CHECK(slow.whole == Approx(31'000));  // of the longest one that is not sampled
  CHECK(slow.parts.at({"function", "compress", "mylog.so"}) == Approx(30'700));
  CHECK(slow.parts.at({"syscall", "write"}) == Approx(300));
  CHECK(slow.parts.count({"function", "log", "mylog.so"}) == 0);
}

// A machine takes some us to enter the sampler's interrupt, which the trace shows as own code, so
// that each sampled call is longer than usual ones. Four of the calls compute for 21 us.
TEST_CASE("a usual call that the sampler made long is a usual call") {
  Calls calls;
  calls.samples.rate_hz = 5000;
  for (const std::uint64_t i : {0, 48, 96, 143}) calls.log[i].end_ns += 20'000;
  for (std::uint64_t i = 0; i < kCalls; i += 8) {
    const std::uint64_t at_ns = Calls::begin(i) + 6000 + 10 * i;
    const auto at = static_cast<activity::Ticks>(at_ns);
    calls.log[i].end_ns += 16'000 + 10 * i;
    calls.story.timeline().add(activity::Interrupt{.begin = at, .end = at + 10'000, .routine = 1});
    calls.sample(at_ns + 100, {{i % 48 == 0 && i < 144 ? "compress" : "log", "mylog.so"}});
  }
  const CallParts parts = calls.parts();
  CHECK(parts.call.parts.at({"function", "log", "mylog.so"}) == Approx(1000));
  CHECK(parts.call.whole == Approx(1000));
  CHECK(parts.slow_call.parts.at({"function", "compress", "mylog.so"}) == Approx(21'000));
  CHECK(parts.slow_call.whole == Approx(21'000));
}

TEST_CASE("calls beyond the 99th percentile are apart, preempted and dropped ones left out") {
  Calls calls;
  for (std::uint64_t i = 0; i < kCalls; ++i) {
    calls.log[i].turn = i < kCalls / 2 ? 0 : 1;
    if (i % (kCalls / 2) < 2) calls.log[i].end_ns += 40'000;
  }
  calls.log[60].end_ns += 20'000;
  calls.log[60].kind = CallKind::preempted;
  calls.log[61].end_ns += 4000;
  const CallParts parts = calls.parts(2);
  CHECK(parts.call.whole == Approx(1000));
  CHECK(parts.slow_call.whole == Approx(5000));
}

TEST_CASE("a preempted call that ran long is there without the time in which others ran") {
  Calls calls;
  const std::uint64_t start = Calls::begin(kCalls - 1);
  CallRecord& last = calls.log.back();
  last.end_ns = start + 40'000;
  last.kind = CallKind::preempted;
  last.ran_us = 30;
  calls.story.preempts(static_cast<activity::Ticks>(start) + 20'000, kLoad, activity::kOther);
  calls.story.preempts(static_cast<activity::Ticks>(start) + 30'000, activity::kOther, kLoad);
  for (std::uint64_t i = 0; i < 4; ++i) calls.sample(start + 2000 * i, {{"compress", "mylog.so"}});
  const SideAmounts slow = calls.parts().slow_call;
  CHECK(slow.whole == Approx(30'000));
  CHECK(sum(slow) == Approx(30'000));
  CHECK(slow.parts.at({"function", "compress", "mylog.so"}) == Approx(30'000));

  // Without a trace nobody can tell the two apart.
  Calls untraced;
  untraced.log.back() = last;
  untraced.trace.method = "none";
  CHECK(untraced.parts().slow_call.whole == Approx(0));
}

TEST_CASE("where the kernel was not sampled a sample stands for its share of the time") {
  Calls calls;
  calls.trace.system_calls = false;
  calls.samples.kernel = false;
  calls.samples.rate_hz = 1e6;  // a microsecond each
  for (std::uint64_t i = 0; i < 60; ++i) calls.sample(Calls::begin(i) + 5, {{"log", "mylog.so"}});
  const SideAmounts call = calls.parts().call;
  CHECK(call.parts.at({"function", "log", "mylog.so"}) == Approx(60'000.0 / kCalls));
  CHECK(call.parts.at({"running"}) == Approx(1000 - 60'000.0 / kCalls));
}

TEST_CASE("without any trace the samples alone say where the time was") {
  Calls calls;
  calls.trace = TraceUsed();
  calls.trace.method = "none";
  calls.samples.kernel = false;
  calls.samples.rate_hz = 1e6;
  calls.sample(Calls::begin(7) + 5, {{"log", "mylog.so"}});
  const SideAmounts call = calls.parts().call;
  CHECK(call.parts.at({"function", "log", "mylog.so"}) == Approx(1000.0 / kCalls));
  CHECK(call.parts.at({"untraced"}) == Approx(1000 - 1000.0 / kCalls));
}

TEST_CASE("of a role the functions share the time that the system counted") {
  Calls calls;
  for (std::uint64_t i = 0; i < 10; ++i) {
    calls.sample(1000 * i, {{i < 5 ? "append" : "compress", "journald"}}, 9, SampledRole::daemons);
  }
  calls.sample(500, {{"other", "tailgate"}}, 8, SampledRole::provider);
  const SideAmounts times = role_parts(calls.samples, SampledRole::daemons, 1000, 8000, 80);
  CHECK(times.whole == 80);
  CHECK(times.parts.at({"function", "append", "journald"}) == Approx(40));
  CHECK(times.parts.at({"function", "compress", "journald"}) == Approx(40));
  CHECK(samples_of(calls.samples, SampledRole::daemons, 1000, 8000) == 8);
  CHECK(role_parts(calls.samples, SampledRole::daemons, 20'000, 30'000, 80).parts.empty());
}

// As Linux' cpu clock shows an interrupt that ends with another thread's turn.
const std::vector<std::pair<const char*, const char*>> kInterrupted = {
    {"irq_enable", "kernel"},
    {"schedule", "kernel"},
    {"asm_sysvec_apic_timer_interrupt", "kernel"},
    {"checksum", "mylog.so"},
    {"append", "mylog.so"}};

TEST_CASE("in own code a sample in an interrupt is of the function below it") {
  Calls calls;
  calls.enter_kernel();
  calls.sample(Calls::begin(7) + 300, kInterrupted);
  const SideAmounts call = calls.parts().call;
  const PartName checksum{"function", "checksum", "mylog.so"};
  CHECK(call.parts.at(checksum) == Approx(700));
  CHECK_FALSE(call.callers.contains(checksum));  // it is not called by itself
  CHECK(sum(call) == Approx(1000));
}

TEST_CASE("of a role a sample in an interrupt is of the function below it") {
  Calls calls;
  calls.sample(2000, kInterrupted, 9, SampledRole::daemons);
  calls.sample(3000, {{"checksum", "mylog.so"}}, 9, SampledRole::daemons);
  const SideAmounts times = role_parts(calls.samples, SampledRole::daemons, 1000, 8000, 80);
  CHECK(times.parts.at({"function", "checksum", "mylog.so"}) == Approx(80));
}

TEST_CASE("a side without calls has no time") {
  Calls calls;
  calls.log.clear();
  CHECK(calls.parts().call.whole == 0);
}

}  // namespace
}  // namespace tailgate
