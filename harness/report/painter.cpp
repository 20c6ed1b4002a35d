#include "harness/report/painter.h"

#include "harness/base/quoting.h"
#include "harness/report/human.h"

namespace tailgate {

std::string note(const std::string& what, const std::string& remedy, const Painter& painter) {
  std::string text;
  for (const std::string& line : wrapped("! " + printable(what), kColumns - 2, 2)) {
    text += "  " + painter.yellow(line) + "\n";
  }
  if (remedy.empty()) return text;
  for (const std::string& line : wrapped("-> " + printable(remedy), kColumns - 4, 3)) {
    text += "    " + line + "\n";
  }
  return text;
}

}  // namespace tailgate
