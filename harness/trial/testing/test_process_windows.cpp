#include "harness/os/api_windows.h"
#include "harness/os/wine_windows.h"
#include "harness/trial/testing/test_process.h"

namespace tailgate {

const char* const kKilledText = "status 0xc000013a";
const char* const kAbortedText = "exit code 3";  // of msvcrt.dll's abort
const bool kThreadTimesAreExact = false;

bool counts_other_processes() {
  return wine_version().empty();
}

// Ends the process with the code of a closed console.
void kill_process(int pid) {
  constexpr DWORD kControlCExit = 0xC000013A;
  const Handle process(OpenProcess(PROCESS_TERMINATE, FALSE, static_cast<DWORD>(pid)));
  TerminateProcess(process.get(), kControlCExit);
}

}  // namespace tailgate
