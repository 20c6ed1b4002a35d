#include "harness/overhead/proc_file_linux.h"

#include <catch2/catch.hpp>

namespace tailgate {
namespace {

TEST_CASE("a number is found after the key that begins a line") {
  // In the layout of /proc/PID/status.
  const std::string_view status =
      "Name:\tvoluntary_ctxt_switches: 9\nVmHWM:\t    5012 kB\nVmRSS:\t    4000 kB\n"
      "nonvoluntary_ctxt_switches:\t7\nvoluntary_ctxt_switches:\t3\n";
  CHECK(number_after(status, "VmRSS:") == 4000u);
  CHECK(number_after(status, "VmHWM:") == 5012u);
  CHECK(number_after(status, "voluntary_ctxt_switches:") == 3u);
  CHECK(number_after(status, "nonvoluntary_ctxt_switches:") == 7u);
  CHECK_FALSE(number_after(status, "VmSwap:"));
  CHECK_FALSE(number_after(status, "Name:"));
  CHECK_FALSE(number_after("", "VmRSS:"));
}

TEST_CASE("fields of the first line are counted from 0") {
  const std::string_view line = "cpu  12 3\t45\n99\n";
  CHECK(number_at(line, 1) == 12u);
  CHECK(number_at(line, 2) == 3u);
  CHECK(number_at(line, 3) == 45u);
  CHECK_FALSE(number_at(line, 0));
  CHECK_FALSE(number_at(line, 4));
  CHECK_FALSE(number_at("", 0));
  CHECK_FALSE(number_at("99999999999999999999999", 0));
}

TEST_CASE("stall times are the total of the line 'some'") {
  CHECK(some_stall_ns("some avg10=0.00 avg60=0.10 avg300=0.00 total=8158\n"
                      "full avg10=0.00 avg60=0.00 avg300=0.00 total=1\n") == 8'158'000u);
  CHECK_FALSE(some_stall_ns("full avg10=0.00 avg60=0.00 avg300=0.00 total=1\n"));
  CHECK_FALSE(some_stall_ns("some avg10=0.00\nfull total=1\n"));
  CHECK_FALSE(some_stall_ns(""));
}

TEST_CASE("a file is read again each time, and a missing file reads as empty") {
  const ProcFile uptime("/proc/uptime");
  REQUIRE(uptime.is_open());
  CHECK_FALSE(uptime.read().empty());
  CHECK_FALSE(uptime.read().empty());
  const ProcFile none("/proc/no-such-file");
  CHECK_FALSE(none.is_open());
  CHECK(none.read().empty());
}

}  // namespace
}  // namespace tailgate
