// Describes how this program was built, and from which revision.
#pragma once

#include <string>

namespace tailgate {

struct BuildInfo {
  std::string version;   // of tailgate
  std::string revision;  // git revision, 12 digits; "unknown" if built outside of a clone
  bool dirty;            // the working tree differed from that revision
  std::string compiler;  // "GNU 12.2.0"
  std::string flags;     // compiler flags, including those of the build type
  std::string type;      // CMake build type
};

const BuildInfo& build_info();

}  // namespace tailgate
