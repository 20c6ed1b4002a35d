#include "harness/explain/function_steps.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "harness/explain/test_story.h"

namespace tailgate::activity {
namespace {

constexpr std::uint64_t kWriteAddress = 0x1000;
constexpr std::uint64_t kCopyAddress = 0x2000;

// The load thread calls write() from 1000 to 9000.
class FunctionStory : public Story {
 public:
  FunctionStory() {
    timeline().add(KernelFunctionFact{kWriteAddress, "vfs_write"});
    timeline().add(KernelFunctionFact{kCopyAddress, "copy [ext4]"});
  }
  void function(Ticks time, std::uint64_t address) {
    timeline().add(KernelFunction{time, kLoad, address});
  }
  std::vector<FunctionStay> stays(Ticks begin, Ticks end) {
    const CallTimes call{.thread = kLoad, .intended = begin, .start = begin, .end = end};
    return function_stays(timeline(), kLoad, cutter(kAll).cut(call), begin);
  }
};

// Stays as "name:begin:length", with a plus if the function was entered there.
std::string text_of(const std::vector<FunctionStay>& stays) {
  std::string text;
  for (const FunctionStay& stay : stays) {
    text += (text.empty() ? "" : " ") + std::string(stay.entered ? "+" : "") +
            std::string(stay.name) + ":" + std::to_string(stay.begin) + ":" +
            std::to_string(stay.end - stay.begin);
  }
  return text;
}

TEST_CASE_METHOD(FunctionStory, "a function lasts until the next one's entry or the call's end") {
  enters(1000, 1);
  function(1500, kWriteAddress);
  function(4000, kCopyAddress);
  leaves(9000, 1);
  CHECK(text_of(stays(500, 9500)) == "+vfs_write:1500:2500 +copy [ext4]:4000:5000");
}

TEST_CASE_METHOD(FunctionStory, "a function goes on after a wait, which is none of its time") {
  enters(1000, 1);
  function(1500, kWriteAddress);
  waits(3000, Wait::interruptible);
  wakes(6000, kOther);
  switches(7000, 0, kLoad);
  function(8000, kCopyAddress);
  leaves(9000, 1);
  CHECK(text_of(stays(500, 9500)) ==
        "+vfs_write:1500:1500 vfs_write:7000:1000 +copy [ext4]:8000:1000");
}

TEST_CASE_METHOD(FunctionStory, "interrupts are no time of the function that they interrupt") {
  enters(1000, 1);
  function(1500, kWriteAddress);
  timeline().add(Interrupt{2000, 3000, 0, InterruptKind::hardware, 1});
  leaves(9000, 1);
  CHECK(text_of(stays(500, 9500)) == "+vfs_write:1500:500 vfs_write:3000:6000");
}

TEST_CASE_METHOD(FunctionStory, "functions of earlier calls and of own code count for no call") {
  enters(100, 1);
  function(200, kCopyAddress);
  leaves(300, 1);
  function(400, kCopyAddress);
  enters(1000, 1);
  function(1500, kWriteAddress);
  leaves(9000, 1);
  CHECK(text_of(stays(500, 9500)) == "+vfs_write:1500:7500");
}

TEST_CASE_METHOD(FunctionStory, "after a loss the function is not known until the next entry") {
  enters(1000, 1);
  function(1500, kWriteAddress);
  timeline().add(KernelFunctionsLost{2000});
  function(5000, kCopyAddress);
  leaves(9000, 1);
  CHECK(text_of(stays(500, 9500)) == "+vfs_write:1500:500 +:2000:3000 +copy [ext4]:5000:4000");
}

TEST_CASE_METHOD(FunctionStory, "where no function was recorded nothing is said of them") {
  enters(1000, 1);
  leaves(9000, 1);
  const std::vector<FunctionStay> none = stays(500, 9500);
  CHECK(none.empty());
  CHECK_FALSE(longest_stays(none));
  FunctionTimes times;
  times.add(none);
  CHECK_FALSE(times.report());
}

TEST_CASE("the longest stays of a call are listed in order of time, the others summed up") {
  std::vector<FunctionStay> stays;
  for (Ticks i = 0; i < 300; ++i) stays.push_back({i * 1000, i * 1000 + 100 + i, "f", true});
  const auto listed = longest_stays(stays);
  REQUIRE(listed);
  REQUIRE(listed->steps.size() == 256);
  CHECK(listed->steps.front().start_ns == 44'000);
  CHECK(listed->steps.back().start_ns == 299'000);
  CHECK(listed->steps_left_out == 44);
  CHECK(listed->left_out_ns == 44 * 100 + 43 * 44 / 2);
}

TEST_CASE("functions of slow calls are summed up, longest time first") {
  FunctionTimes times;
  times.add({{0, 10, "a", true}, {10, 40, "b", true}, {50, 55, "b", false}, {60, 61, "b", true}});
  times.add({{0, 7, "b", true}});
  const auto report = times.report();
  REQUIRE(report);
  REQUIRE(report->functions.size() == 2);
  CHECK(report->functions[0].name == "b");
  CHECK(report->functions[0].time_ns == 30 + 5 + 1 + 7);
  CHECK(report->functions[0].calls == 2);
  CHECK(report->functions[0].entries == 3);
  CHECK(report->functions[1].name == "a");
  CHECK(report->left_out_ns == 0);
}

TEST_CASE("of many functions those with the longest time are listed") {
  FunctionTimes times;
  for (int i = 1; i <= 60; ++i) {
    const std::string name = "f" + std::to_string(i);
    times.add({{0, i, name, true}});
  }
  const auto report = times.report();
  REQUIRE(report);
  CHECK(report->functions.size() == 50);
  CHECK(report->functions.front().name == "f60");
  CHECK(report->left_out_ns == 10 * 11 / 2);
}

}  // namespace
}  // namespace tailgate::activity
