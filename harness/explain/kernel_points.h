// The table of the kernel's static tracepoints that name a call's time in the kernel.
//
// A new kernel or file system is a row here; README.md ("How to add a tracepoint") says what makes
// a good one.
#pragma once

#include <span>
#include <string_view>

#include "harness/activity/records.h"

namespace tailgate::activity {

struct KernelPointRow {
  std::string_view event;  // in tracefs: group/name
  Cause cause;
  PointMarks marks;

  std::string_view name() const { return event.substr(event.find('/') + 1); }
};

std::span<const KernelPointRow> kernel_points();

}  // namespace tailgate::activity
