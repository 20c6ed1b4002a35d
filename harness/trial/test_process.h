// Ends of processes as the operating system knows them, for the tests of trials.
#pragma once

namespace tailgate {

// Ends the process as another program or a user would.
void kill_process(int pid);

// What a trial's outcome says of such an end, and of a process that called std::abort.
extern const char* const kKilledText;
extern const char* const kAbortedText;

}  // namespace tailgate
