// Manual pages (man(7)), written from what the help says.
#pragma once

#include <string>
#include <vector>

#include "harness/cli/command_text.h"

namespace tailgate {

// What every page says of itself.
struct Edition {
  std::string version;
  std::string date;  // YYYY-MM-DD
};

struct ManualPage {
  std::string name;  // tailgate-run: the file is NAME.1
  std::string roff;
};

// The program's page, then one for each of its commands.
std::vector<ManualPage> manual_pages(const CommandText& program, const Edition& edition);

}  // namespace tailgate
