// Ends, stops or continues a process that this one did not start.
#pragma once

namespace tailgate {

enum class ProcessSignal {
  kill,    // it ends at once and can do nothing about it
  stop,    // none of its threads runs any further …
  resume,  // … until now
};

// Does not wait for the effect. Throws Error if there is no such process, or if the system cannot
// do that.
void send_signal(int pid, ProcessSignal signal);

}  // namespace tailgate
