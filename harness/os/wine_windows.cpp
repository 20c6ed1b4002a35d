#include "harness/os/wine_windows.h"

#include "harness/os/library_windows.h"

namespace tailgate {

std::string wine_version() {
  const auto version = library_function<const char*(__cdecl*)()>(L"ntdll.dll", "wine_get_version");
  return version == nullptr ? "" : version();
}

}  // namespace tailgate
