// Parses any text as --calls: a list of functions, which is written and parsed again, or an Error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "harness/base/error.h"
#include "harness/calls/call_list.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tailgate;
  try {
    const CallList list =
        parse_call_list(std::string_view(reinterpret_cast<const char*>(data), size));
    if (list.functions.empty()) return 0;
    const CallList again = parse_call_list(functions_text(list));
    if (again.functions != list.functions || again.means != list.means) std::abort();
  } catch (const Error&) {
    // The parser refused the text, as it should.
  }
  return 0;
}
