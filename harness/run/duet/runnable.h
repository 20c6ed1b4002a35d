// Tells whether a process runs or could run.
#pragma once

namespace tailgate {

// Whether a thread of the process runs or waits for a processor; false if the process has ended.
bool is_runnable(int pid);

}  // namespace tailgate
