// Ends of processes as the operating system knows them, for the tests of trials.
#pragma once

namespace tailgate {

// Ends the process as another program or a user would.
void kill_process(int pid);

// What a trial's outcome says of such an end, and of a process that called std::abort.
extern const char* const kKilledText;
extern const char* const kAbortedText;

// Whether processor time and transfers of other processes are counted. Wine does not.
bool counts_other_processes();

// Whether a thread's processor time is exact, rather than a count of the timer's ticks.
extern const bool kThreadTimesAreExact;

}  // namespace tailgate
