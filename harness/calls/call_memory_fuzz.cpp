// A program overwrites any words of the memory into which it records: what tailgate reads then is
// figures or an Error. Each twelve bytes of the input are a place and a value.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/calls/call_memory.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tailgate;
  static CallMemory memory({.threads = 2, .slowest = 4, .clock = {}});
  auto* const words = reinterpret_cast<std::uint64_t*>(memory.memory().data());
  const std::size_t count = memory.memory().size_bytes() / sizeof(std::uint64_t);
  std::vector<std::pair<std::size_t, std::uint64_t>> before;
  constexpr std::size_t kPieceBytes = 12;
  for (; size >= kPieceBytes; data += kPieceBytes, size -= kPieceBytes) {
    std::uint32_t place = 0;
    std::memcpy(&place, data, sizeof place);
    const std::size_t at = place % count;
    before.emplace_back(at, words[at]);
    std::memcpy(words + at, data + sizeof place, sizeof(std::uint64_t));
  }
  try {
    memory.counts();
    memory.other_version();
    const std::vector<std::uint32_t> threads = memory.threads();
    for (const SlowCall& call : memory.slowest()) {
      if (call.thread >= threads.size() || call.intended_ns > call.end_ns) std::abort();
    }
    const CallTimes times = memory.times();
    if (times.service.total_count() != times.response.total_count()) {
      // Only what overwrote one of the two can tell them apart.
      if (before.empty()) std::abort();
    }
  } catch (const Error&) {
    // Said that the memory is damaged.
  }
  while (!before.empty()) {
    words[before.back().first] = before.back().second;
    before.pop_back();
  }
  return 0;
}
