#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>

#include "harness/cli/terminal.h"

namespace tailgate {

bool is_terminal(std::FILE* stream) {
  const char* kind = std::getenv("TERM");
  const bool dumb = kind != nullptr && std::strcmp(kind, "dumb") == 0;
  return !dumb && isatty(fileno(stream)) == 1;
}

void fail_writes_to_closed_pipes() {
  std::signal(SIGPIPE, SIG_IGN);
}

}  // namespace tailgate
