// Other programs that measure what tailgate does of a machine, beside tailgate's own measurement of
// the same: cyclictest (rt-tests) for wake-ups from a sleep, sockperf for round trips between two
// threads.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/doctor/judgement.h"
#include "harness/doctor/tool_output.h"
#include "harness/os/clock.h"

namespace tailgate {

// One program and tailgate, in turn. Each of its rounds takes a second or so on either side.
struct CrossCheck {
  std::string tool;
  std::string package;  // Debian's
  std::string what;     // "wake-ups from a sleep"
  bool installed = false;
  std::string failure = {};  // why there is nothing to compare, though it is installed
  std::vector<LatencySummary> by_tool = {};  // of each round
  std::vector<LatencySummary> by_tailgate = {};
};

struct CrossCheckPlan {
  int cpu = -1;  // where everything runs; -1: anywhere
  unsigned rounds = 3;
  std::filesystem::path scratch;  // a folder for what the programs print; exists
};

// Runs every program that is installed, for about so long in each round; longer where one hangs,
// which is ended after 10 s. (cross_check_linux.cpp, cross_check_windows.cpp)
inline constexpr unsigned kCrossCheckRoundSeconds = 5;
std::vector<CrossCheck> run_cross_checks(const CrossCheckPlan& plan, const Clock& clock);

// They agree if the medians of the rounds' medians are within this factor, or within a microsecond,
// which is what cyclictest resolves. A p99 of a second is the moment's, so it is shown alone.
inline constexpr double kAgreeingFactor = 2;

// A finding for each: ok where they agree, a warning where not, not known where there is nothing to
// compare. A pure function.
std::vector<Finding> judge_cross_checks(const std::vector<CrossCheck>& checks);

}  // namespace tailgate
