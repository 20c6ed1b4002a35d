#include "harness/os/process_signal.h"

#include <string>

#include "harness/base/error.h"
#include "harness/os/api_windows.h"

namespace tailgate {

void send_signal(int pid, ProcessSignal signal) {
  if (signal != ProcessSignal::kill) {
    throw Error("Windows has no call that stops or continues another process",
                "run scenarios that stop processes on Linux");
  }
  // The code of a closed console: ended by another process (ntstatus.h).
  constexpr DWORD kControlCExit = 0xC000013A;
  const Handle process(OpenProcess(PROCESS_TERMINATE, FALSE, static_cast<DWORD>(pid)));
  if (!TerminateProcess(process.get(), kControlCExit)) {
    throw windows_error("TerminateProcess", "process " + std::to_string(pid), GetLastError(),
                        "see why it had ended, or run as its user");
  }
}

}  // namespace tailgate
