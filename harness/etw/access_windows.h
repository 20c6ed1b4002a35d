// What this machine and the user's rights allow the program to do with event tracing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/base/error.h"
#include "harness/base/probe.h"

namespace tailgate::etw {

// The remedy when Windows refuses because a privilege is missing.
inline constexpr const char* kElevate =
    "run tailgate from an elevated prompt, or as a member of the group Performance Log Users";

// What a probe reports when nothing is missing.
inline constexpr const char* kTriedWhere =
    "tested with a stand-in library only, not yet on a real Windows machine";

// The probe's result when the stand-in or Wine would be used in place of Windows' own event
// tracing; else nothing.
std::optional<Probe> probe_elsewhere();

// Whether this process's user is an elevated administrator.
bool is_administrator();

// Whether the user's groups allow this process to start a session.
bool may_start_sessions();

// Enables SeSystemProfilePrivilege, which administrators have but which is disabled by default.
// Returns false when the user does not have it.
bool switch_on_system_profile_privilege();

// The error for ERROR_NO_SYSTEM_RESOURCES, with which StartTraceW and EnableTraceEx2 report that a
// limit of Windows is reached. Its text names the limit that Microsoft documents. It does not name
// the session, so that the text is the same in each trial.
Error no_room_error(const std::string& call);

// What to do about an error of StartTraceW or ControlTraceW.
std::string session_remedy(std::uint32_t error);

}  // namespace tailgate::etw
