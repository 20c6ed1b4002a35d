// The kernel trace, recorded and read by tailgate's own controller and reader, against the library
// that stands in for Windows' event tracing. Numbers of flags and modes: evntrace.h as Microsoft
// documents it.
#include <catch2/catch.hpp>

#include "harness/base/testing/test_directory.h"
#include "harness/etw/api_windows.h"
#include "harness/explain/start_trace.h"
#include "harness/os/install_paths.h"
#include "harness/os/library_windows.h"

using namespace tailgate;

namespace {

void plant(const wchar_t* fault) {
  const std::filesystem::path folder = executable_path().parent_path();
  _wputenv_s(wide(etw::kLibraryVariable).c_str(), (folder / TAILGATE_ETW_STAND_IN).c_str());
  _wputenv_s(L"TAILGATE_STAND_IN_FAULT", fault);
}

const EVENT_TRACE_PROPERTIES& asked() {
  const EVENT_TRACE_PROPERTIES* (*answer)() = nullptr;
  load_function(
      load_library((executable_path().parent_path() / TAILGATE_ETW_STAND_IN).string(), ""),
      "kernel_session_asked", answer);
  return *answer();
}

struct Traced {
  TraceUsed used;
  activity::Timeline timeline{1'000'000'000, 0};
  Clock clock;
  std::uint64_t before_ns = 0;
  std::uint64_t during_ns = 0;
  std::uint64_t after_ns = 0;
};

// Records a kernel trace of this thread for some milliseconds.
Traced trace(activity::TraceMethod method, bool os_clock = false) {
  const TestDirectory folder;
  Traced traced;
  traced.clock = Clock(measure_clock(os_clock));
  traced.timeline.keep_intervals();
  traced.timeline.watch(GetCurrentThreadId());
  traced.before_ns = traced.clock.now_ns();
  const auto running = activity::start_trace({.method = method,
                                              .directory = folder.path(),
                                              .clock = traced.clock,
                                              .threads = {GetCurrentThreadId()},
                                              .cpus = {}});
  Sleep(5);
  traced.during_ns = traced.clock.now_ns();
  Sleep(5);
  running->stop();
  traced.after_ns = traced.clock.now_ns();
  traced.used = running->read(traced.timeline);
  return traced;
}

std::string why_not(const wchar_t* fault) {
  plant(fault);
  try {
    trace(activity::TraceMethod::kernel_trace);
  } catch (const Error& error) {
    return error.what();
  }
  return "it started";
}

void check_complete(bool os_clock) {
  const Traced traced = trace(activity::TraceMethod::kernel_trace, os_clock);
  INFO(traced.used.limits);
  CHECK(traced.used.method == "kernel_trace");
  CHECK(traced.used.limits.empty());
  CHECK(traced.used.complete);
  CHECK(traced.used.system_calls);
  CHECK(traced.used.start_ns >= traced.before_ns);
  CHECK(traced.used.end_ns <= traced.after_ns);

  // The stand-in writes that this thread ran from the session's start to its end.
  const auto during = static_cast<activity::Ticks>(traced.during_ns);
  const activity::RunInterval* run = traced.timeline.who_ran(0, during);
  REQUIRE(run != nullptr);
  CHECK(traced.timeline.threads()[run->thread_use].thread == GetCurrentThreadId());
  CHECK(run->begin >= static_cast<activity::Ticks>(traced.before_ns));
  CHECK(run->end <= static_cast<activity::Ticks>(traced.after_ns));
  CHECK(traced.timeline.interrupts(0).size() == 1);
}

}  // namespace

TEST_CASE("a kernel trace is recorded on the run clock and read back") {
  plant(L"");
  CHECK(activity::probe_trace().available);
  check_complete(false);
  check_complete(true);
  CHECK(asked().Wnode.ClientContext == 1);
}

TEST_CASE("the kernel session requests the events that explanations need") {
  plant(L"");
  const Traced traced = trace(activity::TraceMethod::kernel_trace);
  const bool tsc = traced.clock.parameters().kind == ClockKind::tsc;
  CHECK(asked().Wnode.ClientContext == (tsc ? 3u : 1u));
  CHECK(asked().LogFileMode == 0x02000001);  // system logger, sequential
  CHECK(asked().MaximumFileSize == 512);
  // Process 1, thread 2, image 4, cswitch 10, dpc 20, interrupt 40, system call 80, disk 100,
  // disk init 400, dispatcher 800, page faults 1000, hard faults 2000, file I/O 2000000, file I/O
  // init 4000000, all hexadecimal.
  CHECK(asked().EnableFlags == 0x6003DF7);
}

TEST_CASE("the error of a kernel session that cannot be started has a reason and a remedy") {
  const std::string denied = why_not(L"access_denied");
  CHECK_THAT(denied, Catch::Contains("StartTraceW"));
  CHECK_THAT(denied, Catch::Contains("elevated prompt"));
  CHECK_THAT(denied, Catch::Contains("SeSystemProfilePrivilege"));
  CHECK_THAT(why_not(L"no_buffers"), Catch::Contains("has no buffers: nothing is traced"));
  CHECK(why_not(L"name_taken") == "it started");  // the stale session was stopped
  plant(L"");
  CHECK_THROWS_WITH(trace(activity::TraceMethod::context_switches),
                    Catch::Contains("only in its kernel trace"));
}

TEST_CASE("without a usable trace method the result is none, with the reason") {
  plant(L"access_denied");
  const Traced traced = trace(activity::TraceMethod::best);
  CHECK(traced.used.method == "none");
  CHECK_THAT(traced.used.limits, Catch::Contains("StartTraceW"));
  CHECK_FALSE(traced.used.complete);
}

TEST_CASE("the limits name what the kernel session lost or did not record") {
  plant(L"kernel_events_lost");
  Traced traced = trace(activity::TraceMethod::best);
  CHECK_FALSE(traced.used.complete);
  REQUIRE(traced.used.losses.size() == 1);
  CHECK(traced.used.losses[0].records == 2);

  plant(L"stopped");
  traced = trace(activity::TraceMethod::best);
  CHECK_FALSE(traced.used.complete);
  CHECK_THAT(traced.used.limits, Catch::Contains("ended early"));

  plant(L"kernel_no_dpc");
  traced = trace(activity::TraceMethod::best);
  CHECK_THAT(traced.used.limits, Catch::Equals("Windows does not record dpc"));
}
