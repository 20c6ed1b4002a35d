// Reads any bytes as pages of two processors' trace buffers: as many calls begin as end or stay in
// flight, whatever the pages say.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <span>

#include "harness/exec/testing/uprobe_pages.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tailgate;
  CallMemory memory({.threads = 2, .slowest = 4, .clock = {}});
  CallWriter writer(memory);
  UprobeRecords records({}, Clock(ClockParameters{}), writer);
  add_test_events(records);
  const auto bytes = std::as_bytes(std::span(data, size));
  const std::size_t half = size / 2;
  records.add_page(0, bytes.first(half));
  records.pair_until(size == 0 ? 0 : std::uint64_t{data[0]} << 56);
  records.add_page(1, bytes.subspan(half));
  records.add_page(0, bytes);
  records.pair_until(std::numeric_limits<std::uint64_t>::max());
  const CallCounts counts = memory.counts();
  if (counts.finished > counts.started) std::abort();
  if (memory.times().service.total_count() != counts.finished) std::abort();
  return 0;
}
