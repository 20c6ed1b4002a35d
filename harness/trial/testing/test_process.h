// Ends processes in the operating system's ways, for tests of trials.
#pragma once

namespace tailgate {

// Kills the process like another program or a user would.
void kill_process(int pid);

// The texts in a trial's outcome for such an end, and for a process that called std::abort.
extern const char* const kKilledText;
extern const char* const kAbortedText;

// Whether the system counts processor time and transfers of other processes. Wine does not.
bool counts_other_processes();

// Whether a thread's processor time is exact and not a count of timer ticks.
extern const bool kThreadTimesAreExact;

}  // namespace tailgate
