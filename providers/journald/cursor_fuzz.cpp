// Any text may be given as a cursor; a number that the parser returns must be in the text.
#include <cstddef>
#include <cstdlib>
#include <string_view>

#include "providers/journald/cursor.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const bool found = tailgate::journald::cursor_sequence(text).has_value();
  if (found && text.find("i=") == std::string_view::npos) std::abort();
  return 0;
}
