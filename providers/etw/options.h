// The etw sink's options, and the names that its three roles share in one trial.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/options.h"
#include "harness/etl/guid.h"
#include "harness/sink/sink.h"

namespace tailgate::etw {

OptionTable options();

// The level (evntrace.h: TRACE_LEVEL_*) and the keyword that a session enables for the provider, or
// that the provider writes.
struct Selection {
  std::uint8_t level = 0;
  std::uint64_t keyword = 0;
};
Selection session_selection(const Options& options);
Selection event_selection();

// Whether the mode's file never has more than file_bytes.
bool is_capped(const Options& options);

// What the files that keep_in has may have together before a session starts, so that its own has
// room.
std::uint64_t kept_before(const Options& options);

// Records the session's start time, which is part of its files' names. The session calls this when
// it starts.
void note_launch(const TrialContext& context);

// Whether a trial's session, if the mode has one, enables the events of its provider.
bool selects_events(const Options& options);

// A GUID of this trial alone, made from its directory; sessions and files have it in their names.
etl::Guid trial_guid(const TrialContext& context);

// The provider's GUID: the option's, else the trial's. A trial's session enables no other provider.
// Throws Error when the option is no GUID.
etl::Guid provider_guid(const TrialContext& context);

// Whether a session sends filter data with each enable and, under load, requests the provider's
// state.
bool sends_all_commands(const Options& options);

// Whether further sessions can record the provider's events. Not in mode realtime, whose further
// sessions would have no consumer; not in mode private, whose session is in the provider's process;
// and not with logman, whose sessions cannot be switched.
bool can_have_further(const Options& options);

// The context of a further session that records the events of the trial's provider. Its files are
// in a folder of its own.
TrialContext context_of_further(const TrialContext& context, unsigned session);

// The file into which a provider process writes the commands that it received from the session.
std::filesystem::path told_path(const TrialContext& context, unsigned process);

// What every session's name begins with; the pid of the process that starts it follows.
inline constexpr std::string_view kSessionPrefix = "tailgate-";

// The name of a trial's session: "tailgate-PID-GUID", or what the option session_name says in place
// of the GUID. Throws Error when no session can have such a name.
std::string session_name(const TrialContext& context, int pid, const std::string& host);

// The path of the session's file as Windows expects it; in mode new_file it contains %d, which
// Windows replaces by a number.
std::filesystem::path trace_path(const TrialContext& context);
// The files that the session has written, in order of their names. Throws filesystem_error.
std::vector<std::filesystem::path> written_traces(const TrialContext& context);

}  // namespace tailgate::etw
