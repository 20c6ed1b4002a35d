// What this machine, and whoever runs the program, let it do with event tracing.
#pragma once

#include <optional>

#include "harness/base/probe.h"

namespace tailgate::etw {

// Added to a remedy where Windows refuses for want of a privilege.
inline constexpr const char* kElevate =
    "run tailgate from an elevated prompt, or as a member of the group Performance Log Users";

// What a probe says where everything is there.
inline constexpr const char* kTriedWhere =
    "tried with a library that stands in for Windows only, not yet on a real Windows machine";

// Where it is not Windows' own event tracing that would be used: the stand-in of tests, or Wine's.
std::optional<Probe> probe_elsewhere();

// Whether this process' user is an elevated administrator.
bool is_administrator();

// Whether Windows would let this process start a session, by the groups of its user.
bool may_start_sessions();

// Administrators have SeSystemProfilePrivilege, but switched off. False when it cannot be had.
bool switch_on_system_profile_privilege();

}  // namespace tailgate::etw
