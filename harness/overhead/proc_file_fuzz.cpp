// Any bytes as a file of /proc: numbers are found in it or not, and none outside of it.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "harness/overhead/proc_file_linux.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tailgate;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const char* key : {"VmRSS:", "voluntary_ctxt_switches:", "", "\n"}) number_after(text, key);
  for (const std::size_t index : {0u, 1u, 7u, 1000u}) number_at(text, index);
  some_stall_ns(text);
  return 0;
}
