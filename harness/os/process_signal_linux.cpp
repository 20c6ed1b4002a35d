#include <signal.h>

#include <cerrno>
#include <string>

#include "harness/base/error.h"
#include "harness/os/process_signal.h"

namespace tailgate {

void send_signal(int pid, ProcessSignal signal) {
  const int number = signal == ProcessSignal::kill   ? SIGKILL
                     : signal == ProcessSignal::stop ? SIGSTOP
                                                     : SIGCONT;
  // Others than one process: a group, or all.
  const int failed = pid <= 0 ? ESRCH : kill(pid, number) == 0 ? 0 : errno;
  if (failed != 0) {
    throw system_error("kill", "process " + std::to_string(pid), failed,
                       "see why it had ended, or run as its user");
  }
}

}  // namespace tailgate
