// Resumes duets: further rounds of what an earlier call of the program began, in the same file.
#pragma once

#include "harness/result/command_duet.h"
#include "harness/result/duet.h"

namespace tailgate {

// Turns a duet that was just set up into the earlier one, with its rounds, to be added to. Throws
// Error unless both are of the same sides, builds, load, turns, seed, processors and machine, and
// the machine was not started anew.
void go_on_after(Duet& fresh, const Duet& earlier);
void go_on_after(CommandDuet& fresh, const CommandDuet& earlier);

// Adds the part that begins now.
void begin_part(Duet& duet);
void begin_part(CommandDuet& duet);

}  // namespace tailgate
