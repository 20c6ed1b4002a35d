// Lets a program in another language make the calls of a trial: the provider process becomes that
// program, so that its process id, its cost, its crash and its hang are watched as always.
//
// The program finds a text file by the environment variable TAILGATE_DRIVER. The file describes the
// trial's shared memory by name (memory_description.h), the schedule, and two pipes to a companion:
// a process of tailgate's that stays beside the program for what many languages cannot do. It binds
// the load threads to their processors, locks the memory in RAM, and turns the duet's waits on a
// word of memory into bytes of a pipe. providers/plugin/drivers/README.md describes the protocol.
#pragma once

#include "harness/trial/processes/trial_sink.h"
#include "harness/trial/trial_memory.h"

namespace tailgate {

inline constexpr const char* kDriverVariable = "TAILGATE_DRIVER";

// Throws Error if the program cannot be executed; on systems other than Linux, always. No other
// thread of this process may exist.
[[noreturn]] void become_driver(TrialMemory& memory, const TrialSink& sink,
                                const DriverProgram& program);

}  // namespace tailgate
