#include "harness/base/machine.h"

#include <catch2/catch.hpp>

#include <algorithm>

#include "harness/base/wine_windows.h"

using tailgate::MachineInfo;

TEST_CASE("what runs under Wine says so, and Windows does not") {
  const MachineInfo machine = tailgate::collect_machine_info();
  const bool wine = !tailgate::wine_version().empty();
  CHECK((machine.os.find("Wine") == 0) == wine);
  CHECK(std::any_of(machine.details.begin(), machine.details.end(),
                    [](const auto& detail) { return detail.first == "wine"; }) == wine);
  CHECK(machine.restriction == (wine ? "Wine: smoke, not Windows" : ""));
  CHECK(machine.kernel != "unknown");
}
