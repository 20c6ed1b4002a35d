// Runs both commands of a duet once, one after the other.
#pragma once

#include <functional>

#include "harness/result/command_duet.h"
#include "harness/run/duet/command_duet.h"
#include "harness/run/duet/layouts.h"
#include "harness/run/environment.h"

namespace tailgate {

// Called for side 'A' and side 'B'.
struct CommandRoundHooks {
  std::function<void(char side, int pid)> before_start = {};  // as in CommandOptions
  std::function<void(char side)> ended = {};                  // also where the run failed
};

// number: decides the order, the layouts and the sizes of the environment; `index` of the round is
// left to the caller. After the user's interrupt the runs' outcome says so. Throws Error where a
// command cannot be started at all.
CommandRound run_command_round(const CommandDuetRequest& request, const Environment& environment,
                               PlacedLayouts& layouts, unsigned number,
                               const CommandRoundHooks& hooks = {});

}  // namespace tailgate
