#include <unistd.h>

#include <cstdlib>

#include "harness/cli/terminal.h"

namespace tailgate {

bool colour_wanted() {
  const char* no_color = std::getenv("NO_COLOR");
  return (no_color == nullptr || *no_color == '\0') && isatty(STDOUT_FILENO) == 1;
}

}  // namespace tailgate
