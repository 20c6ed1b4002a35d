#include "harness/etw/kernel_flags.h"

#include <catch2/catch.hpp>

using namespace tailgate;
using namespace tailgate::etw;

// Numbers: EVENT_TRACE_PROPERTIES in Microsoft's documentation.
TEST_CASE("names of kernel flags give the bits that Windows takes") {
  CHECK(kernel_flag_bits({"process"}) == 0x1);
  CHECK(kernel_flag_bits({"process", "thread", "cswitch", "profile"}) == 0x1000013);
  CHECK(kernel_flag_bits({"diskio", "filename", "hf", "net", "registry"}) == 0x32300);
  CHECK(kernel_flag_names(0x1000013) == "process, thread, cswitch, profile");
  CHECK(kernel_flag_names(0).empty());
}

TEST_CASE("each flag has one bit and no two share one") {
  std::uint32_t seen = 0;
  for (const KernelFlag& flag : kKernelFlags) {
    INFO(flag.name);
    CHECK((flag.bit & (flag.bit - 1)) == 0);
    CHECK((seen & flag.bit) == 0);
    seen |= flag.bit;
  }
}

TEST_CASE("a wrong list of kernel flags is refused with what is near") {
  CHECK_THROWS_WITH(
      kernel_flag_bits({"proces"}),
      Catch::Contains("the kernel has no flag 'proces'") && Catch::Contains("process"));
  CHECK_THROWS_WITH(kernel_flag_bits({"dpc", "dpc"}), Catch::Contains("'dpc' is given twice"));
  CHECK_THROWS_WITH(kernel_flag_bits({}), Catch::Contains("no flag is given"));
  CHECK_THROWS_WITH(kernel_flag_bits({""}), Catch::Contains("the kernel has no flag ''"));
}
