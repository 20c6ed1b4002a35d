// Sampled stacks as folded lines, which flamegraph.pl and its successors draw: the frames of a
// stack from the outermost caller, between semicolons, and the number of samples. The first frame
// is the role. As stackcollapse-perf.pl does, `_[k]` marks the kernel's functions.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "harness/report/exporter.h"
#include "harness/report/merged_profile.h"

namespace tailgate {
namespace {

std::string frame_of(const std::string& name) {
  std::string frame = name.empty() ? "?" : name;
  std::replace(frame.begin(), frame.end(), ';', ':');
  return frame;
}

std::string render_folded(const Result& result, const ExportOptions&) {
  std::vector<ProfiledFunction> functions;
  std::string text;
  for (const NamedRole& named : profiled_roles(result, functions)) {
    const std::string root = frame_of(named.name);
    for (const ProfiledStack& stack : named.role.stacks) {
      text += root;
      for (const std::uint32_t place : stack.functions) {
        const ProfiledFunction& function = functions[place];
        text += ";" + frame_of(function.name) + (function.module == "kernel" ? "_[k]" : "");
      }
      text += fmt::format(" {}\n", stack.samples);
    }
    if (named.role.left_out > 0) text += fmt::format("{};[other] {}\n", root, named.role.left_out);
  }
  return text;
}

}  // namespace

constinit const Exporter exporters::folded = exporter_of<render_folded, Form::text>(
    "folded", "sampled stacks in folded lines, for flame graphs", ".folded");

}  // namespace tailgate
