// Reads any text as what a dynamic linker prints: absolute paths, or none.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "harness/exec/list_libraries.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const std::filesystem::path& path : tailgate::parse_library_list(text)) {
    if (!path.string().starts_with('/')) std::abort();
  }
  return 0;
}
