// Any bytes as a linker's map or a response file end in sections and words; a script of them has
// nothing but what a linker script may hold.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

#include "harness/project/layout_script.h"
#include "harness/project/link_arguments.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tailgate;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto sections = read_link_map(text);
  const std::string script = layout_script(sections, 1, "/base/");
  if (sections.empty() != script.empty()) std::abort();
  std::size_t depth = 0;
  for (const char letter : script) {
    if (letter < ' ' && letter != '\n') std::abort();
    if (letter == '{') ++depth;
    if (letter == '}' && depth-- == 0) std::abort();
  }
  if (depth != 0) std::abort();
  const auto read = [&](const std::string&) { return std::optional(text); };
  if (size < 1000) read_link_arguments(words_of_response(text), read);
  return 0;
}
