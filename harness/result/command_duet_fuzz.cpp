// Reads any bytes: the outcome is a duet of commands or an Error. A duet that was read is written,
// read again and compared.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "harness/base/error.h"
#include "harness/result/json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tailgate;
  try {
    const CommandDuet duet =
        read_command_duet(std::string_view(reinterpret_cast<const char*>(data), size), "input");
    const std::string text = write_command_duet(duet);
    if (write_command_duet(read_command_duet(text, "output")) != text) std::abort();
  } catch (const Error&) {
    // The reader refused the input, as it should.
  }
  return 0;
}
