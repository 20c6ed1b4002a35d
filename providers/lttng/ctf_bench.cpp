// Compares two readers of the same trace: tailgate's reader hands over each event's time and bytes;
// with libbabeltrace2 the event messages are only counted.
#include <benchmark/benchmark.h>

#include "harness/base/testing/test_directory.h"
#include "providers/lttng/babeltrace_reader.h"
#include "providers/lttng/ctf_samples.h"
#include "providers/lttng/ctf_trace.h"

namespace tailgate {
namespace {

constexpr std::uint64_t kPackets = 60;
constexpr std::uint64_t kEventsInPacket = 3500;  // of 128 bytes each, so sub-buffers of 512 KiB
constexpr std::uint64_t kEvents = kPackets * kEventsInPacket;

// Two streams, as if from two CPUs.
const std::filesystem::path& trace_folder() {
  static const TestDirectory directory;
  if (std::filesystem::exists(directory / "metadata")) return directory.path();
  write_sample(directory / "metadata", metadata_packet(sample_metadata()));
  for (std::uint32_t cpu = 0; cpu < 2; ++cpu) {
    std::string stream;
    std::uint64_t now = 1'000'000 + cpu;
    for (std::uint64_t i = 0; i < kPackets / 2; ++i) {
      SamplePacket packet{.timestamp_begin = now, .sequence = i, .cpu = cpu};
      for (std::uint64_t k = 0; k < kEventsInPacket; ++k, now += 1000) {
        packet.events.push_back({now, std::string(128, static_cast<char>('a' + k % 26))});
      }
      packet.timestamp_end = now;
      stream += sample_packet(packet);
    }
    write_sample(directory / ("events_" + std::to_string(cpu)), stream);
  }
  return directory.path();
}

struct Count : CtfVisitor {
  void event(const CtfEvent& event) override {
    ++events;
    sum += event.timestamp + event.payload.size();
  }
  void damage(std::size_t) override { events = 0; }
  std::uint64_t events = 0;
  std::uint64_t sum = 0;
};

void report(benchmark::State& state, std::uint64_t events) {
  if (events != kEvents) state.SkipWithError("not all events were read");
  state.SetItemsProcessed(static_cast<std::int64_t>(kEvents) * state.iterations());
}

void own_reader(benchmark::State& state) {
  const std::filesystem::path& folder = trace_folder();  // the trace is written before the timed
                                                         // part
  std::uint64_t events = 0;
  for (auto _ : state) {
    Count count;
    CtfTraceReader reader(folder);
    while (reader.poll(count) > 0) {
    }
    reader.finish(count);
    benchmark::DoNotOptimize(count.sum);
    events = count.events;
  }
  report(state, events);
}
BENCHMARK(own_reader);

void libbabeltrace2(benchmark::State& state) {
  const std::filesystem::path& folder = trace_folder();
  std::uint64_t events = 0;
  for (auto _ : state) events = babeltrace_count(folder);
  report(state, events);
}
BENCHMARK(libbabeltrace2);

}  // namespace
}  // namespace tailgate
