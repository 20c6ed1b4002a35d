// Groups of kernel events as flags of a kernel session, against the library that stands in for
// Windows' event tracing. Numbers of flags: EVENT_TRACE_PROPERTIES in Microsoft's documentation.
#include "harness/explain/kernel_groups.h"

#include <catch2/catch.hpp>

#include "harness/base/testing/test_directory.h"
#include "harness/etw/api_windows.h"
#include "harness/os/install_paths.h"
#include "harness/os/library_windows.h"

using namespace tailgate;

namespace {

// What the stand-in writes in each session.
constexpr std::uint64_t kSystemCalls = 50;
constexpr std::uint64_t kSamples = 40;

std::filesystem::path stand_in() {
  return executable_path().parent_path() / TAILGATE_ETW_STAND_IN;
}

ULONG flags_asked() {
  const EVENT_TRACE_PROPERTIES* (*asked)() = nullptr;
  load_function(load_library(stand_in().string(), ""), "kernel_session_asked", asked);
  return asked()->EnableFlags;
}

KernelEventsUse use_of(KernelGroup group, const wchar_t* fault = L"") {
  _wputenv_s(wide(etw::kLibraryVariable).c_str(), stand_in().c_str());
  _wputenv_s(L"TAILGATE_STAND_IN_FAULT", fault);
  const TestDirectory folder;
  activity::KernelEvents events(folder.path(), group);
  Sleep(10);
  events.stop();
  return events.use();
}

}  // namespace

TEST_CASE("a group of kernel events is flags of a session, and its records are counted") {
  const KernelEventsUse syscalls = use_of(KernelGroup::syscalls);
  CHECK(syscalls.refused.empty());
  CHECK(flags_asked() == 0x80);
  CHECK(syscalls.records == kSystemCalls);
  CHECK(syscalls.record_bytes >= syscalls.records * 24);
  CHECK(syscalls.on_ns >= 10'000'000);
  CHECK(use_of(KernelGroup::irq).records == 1);
  CHECK(flags_asked() == 0x60);
  CHECK(use_of(KernelGroup::sched).records == 2);
  CHECK(flags_asked() == 0x810);
}

TEST_CASE("each group asks for its own flags, and none for no flag") {
  const std::pair<KernelGroup, ULONG> groups[] = {{KernelGroup::none, 0},
                                                  {KernelGroup::exceptions, 0x3000},
                                                  {KernelGroup::block, 0x500},
                                                  {KernelGroup::kmem, 0x4000},
                                                  {KernelGroup::filemap, 0x8000},
                                                  {KernelGroup::net, 0x10000},
                                                  {KernelGroup::process, 0x3},
                                                  {KernelGroup::image, 0x4},
                                                  {KernelGroup::profile, 0x1000000},
                                                  {KernelGroup::fileio, 0x6000000},
                                                  {KernelGroup::registry, 0x20000}};
  for (const auto& [group, flags] : groups) {
    INFO(enum_text(group));
    const KernelEventsUse use = use_of(group);
    CHECK(use.refused.empty());
    CHECK(flags_asked() == flags);
    CHECK(use.records == (group == KernelGroup::profile ? kSamples : 0));
  }
}

TEST_CASE("a group that cannot be switched on says why, and what Windows left out") {
  CHECK_THAT(use_of(KernelGroup::timer).refused, Catch::Contains("no flag for 'timer'"));
  CHECK_THAT(use_of(KernelGroup::sched, L"access_denied").refused, Catch::Contains("StartTraceW"));
  CHECK(use_of(KernelGroup::irq, L"kernel_no_dpc").refused == "Windows does not record dpc");
  CHECK_THAT(use_of(KernelGroup::sched, L"stopped").refused, Catch::Contains("had ended before"));
  CHECK(use_of(KernelGroup::sched, L"kernel_events_lost").rejected == 2);
}
