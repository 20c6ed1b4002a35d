#include <signal.h>

#include "harness/trial/testing/test_process.h"

namespace tailgate {

const char* const kKilledText = "signal 9";
const char* const kAbortedText = "signal 6";
const bool kThreadTimesAreExact = true;

bool counts_other_processes() {
  return true;
}

void kill_process(int pid) {
  kill(pid, SIGKILL);
}

}  // namespace tailgate
