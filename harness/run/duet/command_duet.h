// Runs a duet of commands: two of the user's programs in alternation. README.md explains how.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "harness/calls/call_list.h"
#include "harness/result/command_duet.h"
#include "harness/run/duet/layouts.h"
#include "harness/run/environment.h"

namespace tailgate {

struct SampleFormat;

// Where a run is to write a file that is then read in place of its standard output.
inline constexpr const char* kOutPlace = "{out}";

struct CommandDuetRequest {
  CommandSubject a;
  CommandSubject b;
  std::filesystem::path directory_a = {};  // where A's command starts; empty: in this process's
  std::filesystem::path directory_b = {};  // likewise
  SideLayouts layouts_a = {};
  SideLayouts layouts_b = {};
  const SampleFormat* reads = nullptr;  // null: the figures are wall and processor time
  // Timed calls are the figures, in place of `reads`; as choose_means() returned them for both.
  std::optional<CallList> calls = {};
  unsigned rounds = 20;  // maximum, with those of `earlier`
  std::uint64_t seed = 1;
  const CommandDuet* earlier = nullptr;  // go on after its rounds; null: begin anew
  double timeout_s = 600;                // of each run
  std::filesystem::path
      logs;  // what a run that failed printed goes to the files LOGS.a.log, .b.log
};

// Called after each round, with the duet so far.
struct CommandDuetObserver {
  std::function<void(const CommandDuet&)> round_ended;
  std::function<bool(const CommandDuet&)> enough;  // after all but the last: no more are needed
};

// Runs each command once without recording it, then the rounds. A round that the user interrupts is
// left out. A run that fails ends the duet, also the first one, and is recorded. The duet is not
// complete if a run failed or the user interrupted it. Throws Error where a command cannot be
// started at all, and like go_on_after (resume.h).
CommandDuet run_command_duet(const CommandDuetRequest& request, const Environment& environment,
                             const CommandDuetObserver& observer);

}  // namespace tailgate
