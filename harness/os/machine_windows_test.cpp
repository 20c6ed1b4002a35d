#include "harness/os/machine.h"

#include <catch2/catch.hpp>

#include <algorithm>

#include "harness/os/wine_windows.h"

using tailgate::MachineInfo;

TEST_CASE("machine info names Wine if and only if the program runs under Wine") {
  const MachineInfo machine = tailgate::collect_machine_info();
  const bool wine = !tailgate::wine_version().empty();
  CHECK((machine.os.find("Wine") == 0) == wine);
  CHECK(std::any_of(machine.details.begin(), machine.details.end(),
                    [](const auto& detail) { return detail.first == "wine"; }) == wine);
  CHECK(machine.restriction == (wine ? "Wine: smoke, not Windows" : ""));
  CHECK(machine.kernel != "unknown");
}
