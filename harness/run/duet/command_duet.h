// Runs a duet of commands: two of the user's programs in alternation. README.md explains how.
#pragma once

#include <functional>

#include "harness/result/command_duet.h"
#include "harness/run/duet/command_round.h"
#include "harness/run/environment.h"

namespace tailgate {

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
