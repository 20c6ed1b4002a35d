// Any bytes end in a chain or in an Error; a chain that was read is written and read back the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "harness/base/error.h"
#include "harness/gate/pin_chain.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tailgate;
  PinChain chain;
  try {
    chain = parse_pin_chain(std::string_view(reinterpret_cast<const char*>(data), size), "input");
  } catch (const Error&) {
    return 0;  // refused: what the reader is there for
  }
  const std::string text = pin_chain_text(chain);
  if (pin_chain_text(parse_pin_chain(text, "output")) != text) std::abort();
  for (const PinLink& link : chain.links()) chain.history(link.to, link.duet);
  return 0;
}
