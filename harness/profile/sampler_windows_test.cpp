// The sampler of Windows' kernel sessions, against the library that stands in for Windows' event
// tracing: what is asked for, and that what such a session writes is read and named.
#include <catch2/catch.hpp>

#include "harness/base/testing/test_directory.h"
#include "harness/etw/api_windows.h"
#include "harness/os/install_paths.h"
#include "harness/os/library_windows.h"
#include "harness/profile/sampler.h"

using namespace tailgate;
using namespace tailgate::profile;

namespace {

constexpr std::size_t kSamples = 40;  // that the stand-in writes in each session

std::filesystem::path stand_in() {
  return executable_path().parent_path() / TAILGATE_ETW_STAND_IN;
}

void plant(const wchar_t* fault) {
  _wputenv_s(wide(etw::kLibraryVariable).c_str(), stand_in().c_str());
  _wputenv_s(L"TAILGATE_STAND_IN_FAULT", fault);
}

ULONG flags_asked() {
  const EVENT_TRACE_PROPERTIES* (*asked)() = nullptr;
  load_function(load_library(stand_in().string(), ""), "kernel_session_asked", asked);
  return asked()->EnableFlags;
}

ULONG interval() {
  TRACE_PROFILE_INTERVAL now = {};
  ULONG bytes = 0;
  REQUIRE(etw::api().trace_query_information(0, TraceSampledProfileIntervalInfo, &now, sizeof now,
                                             &bytes) == ERROR_SUCCESS);
  return now.Interval;
}

SamplerOptions options_in(const TestDirectory& folder) {
  return {.rate_hz = 1000.0 / 3,
          .clock = Clock(measure_clock(false)),
          .load = {GetCurrentThreadId()},
          .processes = {{SampledRole::provider, static_cast<int>(GetCurrentProcessId())}},
          .directory = folder.path()};
}

}  // namespace

TEST_CASE("a kernel session samples the load's threads, and the machine's rate is put back") {
  plant(L"");
  const ULONG before = interval();
  const TestDirectory folder;
  const auto sampler = start_sampler(options_in(folder));
  CHECK(interval() == 30'000);
  CHECK(flags_asked() == 0x1000007);  // profile, process 1, thread 2, image 4
  Sleep(10);
  sampler->stop();
  CHECK(interval() == before);
  const Samples samples = sampler->read();
  INFO(samples.limits);
  CHECK(samples.method == "cpu_clock");
  CHECK(samples.limits.empty());
  CHECK(samples.rate_hz == Approx(1000.0 / 3));
  REQUIRE(samples.list.size() == kSamples);
  const StackSample& one = samples.list.front();
  CHECK(one.role == SampledRole::load);
  CHECK(one.thread == GetCurrentThreadId());
  CHECK_FALSE(one.cut);
  REQUIRE(one.functions.size() == 2);
  // The stand-in exports this function, which Wine 8's dbghelp does not name.
  const ProfiledFunction& function = samples.functions.functions().at(one.functions[0]);
  const std::string unnamed = "[" + function.module + "]";
  CHECK((function.name == "EventWriteTransfer" || function.name == unnamed));
  CHECK(function.module == stand_in().filename().string());
  CHECK(samples.functions.functions().at(one.functions[1]).name == "[?]");
}

TEST_CASE("samplers at the same time share one kernel session") {
  plant(L"");
  const ULONG before = interval();
  const TestDirectory folder;
  const auto load = start_sampler(options_in(folder));
  SamplerOptions others = options_in(folder);
  others.load.clear();
  const auto provider = start_sampler(others);
  Sleep(5);
  load->stop();
  provider->stop();
  CHECK(interval() == before);
  CHECK(load->read().list.front().role == SampledRole::load);
  CHECK(provider->read().list.front().role == SampledRole::provider);
}

TEST_CASE("a rate that Windows does not take, a refusal and losses are said") {
  plant(L"kernel_events_lost");
  const TestDirectory folder;
  SamplerOptions fast = options_in(folder);
  fast.rate_hz = kMaxSampleRateHz;
  const auto sampler = start_sampler(fast);
  sampler->stop();
  const Samples samples = sampler->read();
  CHECK(samples.lost == 2);
  CHECK(samples.rate_hz == Approx(1e7 / 1221));
  CHECK_THAT(samples.limits, Catch::Contains("8190 samples a second, not 20000"));
  plant(L"access_denied");
  CHECK_THROWS_WITH(start_sampler(fast), Catch::Contains("elevated prompt"));
  plant(L"stacks_refused");
  CHECK_THROWS_WITH(start_sampler(fast), Catch::Contains("TraceSetInformation"));
  plant(L"");
}
