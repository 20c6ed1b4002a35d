#include <io.h>

#include "harness/cli/terminal.h"
#include "harness/os/api_windows.h"

namespace tailgate {

// A console interprets escape sequences in this mode, which exists since Windows 10 version 1511.
bool is_terminal(std::FILE* stream) {
  const auto console = reinterpret_cast<HANDLE>(_get_osfhandle(_fileno(stream)));
  DWORD mode = 0;
  return GetConsoleMode(console, &mode) != 0 &&
         SetConsoleMode(console, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING) != 0;
}

// On Windows such a write always fails.
void fail_writes_to_closed_pipes() {}

}  // namespace tailgate
