#include "harness/etw/kernel_stacks.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>

#include "harness/etl/kernel_layouts.h"
#include "harness/etw/kernel_flags.h"

using namespace tailgate;
using namespace tailgate::etw;

namespace {

constexpr std::uint32_t kAllFlags = 0xFFFFFFFF;

std::vector<std::string> names_of(const std::vector<KernelStack>& events) {
  std::vector<std::string> names;
  for (const KernelStack& event : events) names.emplace_back(event.name);
  return names;
}

}  // namespace

// The reader's layouts have the classes, types and names from Microsoft's MOF classes.
TEST_CASE("events with stacks are those that the reader knows by class and type") {
  for (const KernelStack& event : kKernelStacks) {
    INFO(event.name);
    etl::Guid event_class;
    std::memcpy(event_class.bytes.data(), &event.event_class, sizeof event.event_class);
    const etl::EventSchema* schema = etl::classic_layout(event_class, event.type, 3);
    REQUIRE(schema != nullptr);
    CHECK(schema->event_name == event.name);
    CHECK(kernel_flag_bits({event.flag}) != 0);
  }
}

TEST_CASE("events with stacks are chosen by their names, whole or short") {
  CHECK(names_of(kernel_stacks({"CSwitch", "SampledProfile", "DiskIo/ReadInit"}, kAllFlags)) ==
        std::vector<std::string>{"Thread/CSwitch", "PerfInfo/SampledProfile", "DiskIo/ReadInit"});
  CHECK(kernel_stacks({}, 0).empty());
}

TEST_CASE("a wrong list of events with stacks is refused, and why") {
  CHECK_THROWS_WITH(kernel_stacks({"CSwich"}, kAllFlags),
                    Catch::Contains("'CSwich'") && Catch::Contains("did you mean 'CSwitch'?"));
  CHECK_THROWS_WITH(kernel_stacks({"Start"}, kAllFlags),
                    Catch::Contains("both Process/Start and Thread/Start"));
  CHECK_THROWS_WITH(kernel_stacks({"CSwitch", "Thread/CSwitch"}, kAllFlags),
                    Catch::Contains("'Thread/CSwitch' are asked for twice"));
  CHECK_THROWS_WITH(
      kernel_stacks({"CSwitch"}, kernel_flag_bits({"process", "dpc"})),
      Catch::Contains("without the flag 'cswitch'") && Catch::Contains("add cswitch to --flags"));
}
