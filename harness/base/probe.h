// Whether something that depends on the machine and the user can be used here.
#pragma once

#include <string>

namespace tailgate {

// Found out without side effects.
struct Probe {
  bool available = true;
  std::string reason = {};  // why not, with the value seen; or what is limited although available
  std::string remedy = {};  // what to do: a package, a privilege, a kernel option
};

}  // namespace tailgate
