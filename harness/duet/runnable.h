// Whether a process has work that a processor must only be found for.
#pragma once

namespace tailgate {

// Whether a thread of the process runs or waits for a processor; false when the process is gone.
bool is_runnable(int pid);

}  // namespace tailgate
