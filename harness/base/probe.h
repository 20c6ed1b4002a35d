// The result of a check whether a sink or feature can be used on this machine by this user.
#pragma once

#include <string>

namespace tailgate {

// A probe has no side effects.
struct Probe {
  bool available = true;
  std::string reason = {};  // why not, with the value seen; or what is limited if available
  std::string remedy = {};  // what to do: a package, a privilege, a kernel option
};

}  // namespace tailgate
