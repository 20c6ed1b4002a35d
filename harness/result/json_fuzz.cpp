// Reads any bytes: the outcome is a result or an Error. A result that was read is written, read
// again and compared.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "harness/base/error.h"
#include "harness/result/json.h"
#include "harness/result/latency.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tailgate;
  try {
    const Result result =
        read_result(std::string_view(reinterpret_cast<const char*>(data), size), "input");
    const std::string text = write_result(result);
    if (write_result(read_result(text, "output")) != text) std::abort();
    summarize(result);
  } catch (const Error&) {
    // The reader refused the input, as it should.
  }
  return 0;
}
