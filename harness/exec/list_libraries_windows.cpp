#include "harness/exec/list_libraries.h"

namespace tailgate {

LibraryList list_libraries(const std::filesystem::path&, const std::string&) {
  return {{}, "this system has no dynamic linker that could be asked"};
}

}  // namespace tailgate
