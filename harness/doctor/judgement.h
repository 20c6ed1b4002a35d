// Whether a machine is fit to measure on, and what to do about what is wrong with it. Pure
// functions of the facts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/enum_text.h"
#include "harness/doctor/facts.h"

namespace tailgate {

enum class Mark : std::uint8_t {
  ok,
  warning,  // figures are to be read with it in mind
  problem,  // figures would be those of the machine
  unknown,  // the system does not tell
};
template <>
inline constexpr auto kEnumTexts<Mark> = enum_texts<Mark>({{Mark::ok, "ok"},
                                                           {Mark::warning, "warning"},
                                                           {Mark::problem, "problem"},
                                                           {Mark::unknown, "not known"}});

enum class Fitness : std::uint8_t { yes, with_reservations, no };
template <>
inline constexpr auto kEnumTexts<Fitness> = enum_texts<Fitness>({{Fitness::yes, "yes"},
                                                                 {Fitness::with_reservations,
                                                                  "with reservations"},
                                                                 {Fitness::no, "no"}});

struct Finding {
  std::string name;  // two words at most: "other load"
  Mark mark;
  std::string value;   // what was found, with the numbers
  std::string remedy;  // what to do; empty where there is nothing
  std::vector<std::pair<std::string, double>> figures = {};  // the numbers, units end the names
};

// One finding for each thing that can be wrong, always all of them, in the order in which they are
// shown.
std::vector<Finding> judge(const MachineFacts& facts);

// A problem: no. A warning: with reservations. What is not known counts for neither.
Fitness fitness_of(const std::vector<Finding>& findings);

}  // namespace tailgate
