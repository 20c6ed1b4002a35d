// Margins of a machine class: machines of one kind tell smaller changes than a policy tolerates on
// any machine. `tailgate selftest gate --margins` measures them (make_margins.h).
//
//   machines = ["520525688352812b"]     # fingerprints: machines of that kind share one
//
//   [[margin]]
//   sink = "file"
//   load = "steady rate_hz=20000"
//   metric = "response_ns_p50"
//   margin = 0.02
//   finds = 0.036
//
// A policy names the folder of such files: [gate] class_margins = "margins". The smaller one of its
// own margin and the class's holds, on that load of that sink alone. On machines that no file
// names, the policy's own holds, and so it does where two builds have fewer layouts in memory than
// the margins were made for.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/result/duet.h"

namespace tailgate {

// So many pairs of layouts in memory are in the gates by which margins are made.
inline constexpr unsigned kClassLayouts = 50;

struct ClassMargin {
  std::string sink;  // with its options as the user gives them; not for others of its sink
  std::string load;  // as load_text has it
  std::string metric;
  double margin = 0;
  double finds = 0;    // the smallest change that is found in 95 % of gates; 0: not known
  std::string origin;  // the file
};

struct MachineClass {
  std::vector<std::string> machines;  // fingerprints
  std::vector<ClassMargin> margins;
};

// The load of a duet's side in words: what a metric's noise depends on, "steady rate_hz=20000".
std::string load_text(const DuetSubject& subject);

// Reads a class from text; origin: the file's name in errors and verdicts. Throws Error with
// "FILE:LINE: " in front for anything that does not fit.
MachineClass parse_machine_class(std::string_view text, const std::string& origin);

// Reads every *.toml file of a folder, in the order of their names. Throws Error, also for a folder
// that is missing.
std::vector<MachineClass> load_machine_classes(const std::filesystem::path& folder);

}  // namespace tailgate
