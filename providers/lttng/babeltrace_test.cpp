// Compares libbabeltrace2 and tailgate's reader on the same traces, event for event.
#include <catch2/catch.hpp>

#include "harness/base/testing/test_directory.h"
#include "providers/lttng/ctf_samples.h"
#include "providers/lttng/trace_comparison.h"

namespace tailgate {
namespace {

TEST_CASE("libbabeltrace2 reads the hand-made traces with the same result") {
  const bool compact = GENERATE(false, true);
  const TestDirectory directory;
  const std::filesystem::path trace = directory / "trace";
  std::filesystem::create_directory(trace);
  write_sample(trace / "metadata", metadata_packet(sample_metadata(compact ? "compact" : "large")));
  const std::uint64_t wrap = compact ? 1 << 27 : std::uint64_t{1} << 32;
  for (std::uint32_t cpu = 0; cpu < 2; ++cpu) {
    std::string stream;
    std::uint64_t now = 3 * wrap - 1000 + cpu;
    for (std::uint64_t i = 0; i < 5; ++i) {
      SamplePacket packet{.timestamp_begin = now, .sequence = i, .cpu = cpu};
      for (std::uint64_t k = 0; k < 20; ++k, now += 100) {
        packet.events.push_back({now, std::string(7 * k, static_cast<char>('a' + k)), k % 9 == 5});
      }
      packet.timestamp_end = now;
      stream += sample_packet(packet, compact);
    }
    write_sample(trace / ("events_" + std::to_string(cpu)), stream);
  }
  CHECK(compare_with_babeltrace(directory.path()) == 200);
}

}  // namespace
}  // namespace tailgate
