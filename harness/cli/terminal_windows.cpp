#include <io.h>

#include "harness/base/api_windows.h"
#include "harness/cli/terminal.h"

namespace tailgate {

// Consoles show escape sequences once they were asked to: Windows 10 version 1511 and later.
bool is_terminal(std::FILE* stream) {
  const auto console = reinterpret_cast<HANDLE>(_get_osfhandle(_fileno(stream)));
  DWORD mode = 0;
  return GetConsoleMode(console, &mode) != 0 &&
         SetConsoleMode(console, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING) != 0;
}

// Windows does nothing else.
void fail_writes_to_closed_pipes() {}

}  // namespace tailgate
