// A kernel session as `tailgate etl record` starts it, against the library that stands in for
// Windows' event tracing; and the flags' bits against mingw-w64's evntrace.h.
#include "harness/etw/kernel_session.h"

#include <catch2/catch.hpp>

#include "harness/base/testing/test_directory.h"
#include "harness/etl/stacks.h"
#include "harness/etw/api_windows.h"
#include "harness/etw/kernel_flags.h"
#include "harness/os/install_paths.h"

using namespace tailgate;
using namespace tailgate::etw;

namespace {

void plant(const wchar_t* fault) {
  const std::filesystem::path folder = executable_path().parent_path();
  _wputenv_s(wide(kLibraryVariable).c_str(), (folder / TAILGATE_ETW_STAND_IN).c_str());
  _wputenv_s(L"TAILGATE_STAND_IN_FAULT", fault);
}

KernelSessionOptions options_in(const TestDirectory& folder) {
  return {.label = "record",
          .file = folder.path() / "kernel.etl",
          .flags = kernel_flag_bits({"process", "cswitch", "dpc"})};
}

}  // namespace

TEST_CASE("the flags' bits are those of evntrace.h") {
  CHECK(kernel_flag_bits({"process"}) == EVENT_TRACE_FLAG_PROCESS);
  CHECK(kernel_flag_bits({"thread"}) == EVENT_TRACE_FLAG_THREAD);
  CHECK(kernel_flag_bits({"img"}) == EVENT_TRACE_FLAG_IMAGE_LOAD);
  CHECK(kernel_flag_bits({"proccounters"}) == EVENT_TRACE_FLAG_PROCESS_COUNTERS);
  CHECK(kernel_flag_bits({"cswitch"}) == EVENT_TRACE_FLAG_CSWITCH);
  CHECK(kernel_flag_bits({"dpc"}) == EVENT_TRACE_FLAG_DPC);
  CHECK(kernel_flag_bits({"isr"}) == EVENT_TRACE_FLAG_INTERRUPT);
  CHECK(kernel_flag_bits({"syscall"}) == EVENT_TRACE_FLAG_SYSTEMCALL);
  CHECK(kernel_flag_bits({"diskio"}) == EVENT_TRACE_FLAG_DISK_IO);
  CHECK(kernel_flag_bits({"filename"}) == EVENT_TRACE_FLAG_DISK_FILE_IO);
  CHECK(kernel_flag_bits({"diskioinit"}) == EVENT_TRACE_FLAG_DISK_IO_INIT);
  CHECK(kernel_flag_bits({"dispatcher"}) == EVENT_TRACE_FLAG_DISPATCHER);
  CHECK(kernel_flag_bits({"pf"}) == EVENT_TRACE_FLAG_MEMORY_PAGE_FAULTS);
  CHECK(kernel_flag_bits({"hf"}) == EVENT_TRACE_FLAG_MEMORY_HARD_FAULTS);
  CHECK(kernel_flag_bits({"virtalloc"}) == EVENT_TRACE_FLAG_VIRTUAL_ALLOC);
  CHECK(kernel_flag_bits({"net"}) == EVENT_TRACE_FLAG_NETWORK_TCPIP);
  CHECK(kernel_flag_bits({"registry"}) == EVENT_TRACE_FLAG_REGISTRY);
  CHECK(kernel_flag_bits({"dbgprint"}) == EVENT_TRACE_FLAG_DBGPRINT);
  CHECK(kernel_flag_bits({"alpc"}) == EVENT_TRACE_FLAG_ALPC);
  CHECK(kernel_flag_bits({"splitio"}) == EVENT_TRACE_FLAG_SPLIT_IO);
  CHECK(kernel_flag_bits({"driver"}) == EVENT_TRACE_FLAG_DRIVER);
  CHECK(kernel_flag_bits({"profile"}) == EVENT_TRACE_FLAG_PROFILE);
  CHECK(kernel_flag_bits({"fileio"}) == EVENT_TRACE_FLAG_FILE_IO);
  CHECK(kernel_flag_bits({"fileioinit"}) == EVENT_TRACE_FLAG_FILE_IO_INIT);
}

TEST_CASE("a kernel session records the chosen flags and leaves its file") {
  plant(L"");
  const TestDirectory folder;
  const auto session = start_kernel_session(options_in(folder));
  CHECK(session->granted_flags() == 0x31);
  CHECK_FALSE(session->counts().ended);
  const KernelSessionCounts ended = session->stop();
  CHECK_FALSE(ended.ended);
  CHECK(ended.failure.empty());
  CHECK(std::filesystem::file_size(folder.path() / "kernel.etl") > 0);
}

// The stand-in shows what is asked for and that the reader joins it; not what Windows records.
TEST_CASE("a kernel session records the stacks of the chosen events, which the reader joins") {
  plant(L"");
  const TestDirectory folder;
  KernelSessionOptions options = options_in(folder);
  options.stacks = kernel_stacks({"CSwitch"}, options.flags);
  CHECK_FALSE(start_kernel_session(options)->stop().ended);
  const etl::TraceFile file(options.file);
  etl::Decoder decoder;
  etl::EventFilter filter;
  filter.events = {"CSwitch"};
  std::string stacks;
  const std::string nothing = etl::report_stacks(
      {&file}, decoder, filter, {.format = etl::StacksFormat::folded}, [&](std::string_view text) {
        stacks += text;
        return true;
      });
  CHECK(nothing.empty());
  CHECK_THAT(stacks, Catch::Contains("0x7ff600001000;0xfffff80000001000;Thread/CSwitch 2"));
}

TEST_CASE("a kernel session without the stacks that are asked for is none") {
  plant(L"stacks_refused");
  const TestDirectory folder;
  KernelSessionOptions options = options_in(folder);
  options.stacks = kernel_stacks({"CSwitch"}, options.flags);
  CHECK_THROWS_WITH(start_kernel_session(options),
                    Catch::Contains("TraceSetInformation") && Catch::Contains("without stacks"));
  plant(L"");
  CHECK_FALSE(start_kernel_session(options)->stop().ended);  // none was left running
}

TEST_CASE("a kernel session says what Windows left out, lost, or ended early") {
  const TestDirectory folder;
  plant(L"kernel_no_dpc");
  CHECK(start_kernel_session(options_in(folder))->granted_flags() == 0x11);
  plant(L"kernel_events_lost");
  CHECK(start_kernel_session(options_in(folder))->stop().events_lost == 2);
  plant(L"stopped");
  CHECK(start_kernel_session(options_in(folder))->stop().ended);
  plant(L"");
}

TEST_CASE("a user who may not start a kernel session is told what to do") {
  plant(L"access_denied");
  const TestDirectory folder;
  CHECK_THROWS_WITH(start_kernel_session(options_in(folder)), Catch::Contains("elevated prompt"));
  plant(L"");
}
