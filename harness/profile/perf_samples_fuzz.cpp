// Reads any bytes as records of a perf ring, and finds the callers of what they hold, in this
// program's code. The kernel's list of symbols is read from the same bytes.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

#include "harness/os/kernel_symbols_linux.h"
#include "harness/profile/perf_samples_linux.h"
#include "harness/profile/process_image_linux.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tailgate::profile;
  const auto bytes = std::as_bytes(std::span(data, size));
  PerfSamples samples(std::size_t{64} << 10);
  samples.add(bytes.first(size / 2));
  samples.add(bytes);
  static ProcessImage image(getpid());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    PerfSample sample = samples.at(i);
    if (sample.kernel_chain.size() + sample.user_chain.size() > size) std::abort();
    if (sample.stack.size() > size) std::abort();
    // So that there is a table to unwind by: somewhere in this program's code.
    if (!sample.registers.empty()) {
      const auto code = reinterpret_cast<std::uintptr_t>(&LLVMFuzzerTestOneInput);
      sample.registers.back() = code + (sample.registers.back() & 0xfff);
    }
    if (sample.has_registers && image.unwind(sample).addresses.size() > 128) std::abort();
    image.function_at(sample.address, true);
  }
  const tailgate::KernelSymbols symbols(
      std::string(bytes.size(), '\0').assign(reinterpret_cast<const char*>(data), size));
  if (symbols.find(0).module.empty()) std::abort();
  if (!symbols.empty() && symbols.find(~std::uint64_t{0}).name.empty()) std::abort();
  return 0;
}
