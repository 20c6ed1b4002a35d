// A stack that is captured and written into its event, next to glibc's backtrace() alone, both
// under so many frames; and the calls without a capture.
#include <benchmark/benchmark.h>
#include <execinfo.h>

#include <array>

#include "providers/shared/callstack/call_stack.h"
#include "providers/shared/callstack/nested_call.h"
#include "providers/stacks/stack_words.h"

namespace tailgate {
namespace {

template <class Work>
class Innermost : public InnermostCall {
 public:
  explicit Innermost(Work work) : work_(std::move(work)) {}
  void run() noexcept override { work_(); }

 private:
  Work work_;
};

template <class Work>
void run_under(benchmark::State& state, Work work) {
  prepare_call_stacks();
  const auto frames = static_cast<std::size_t>(state.range(0));
  Innermost call([&] { work(frames); });
  for (auto _ : state) {
    call_under(frames, call);
    benchmark::ClobberMemory();
  }
}

void nothing(benchmark::State& state) {
  run_under(state, [](std::size_t) {});
}

void plain_backtrace(benchmark::State& state) {
  std::array<void*, kMostCapturedFrames> frames;
  run_under(state, [&](std::size_t count) {
    benchmark::DoNotOptimize(backtrace(frames.data(), static_cast<int>(count)));
  });
}

void into_event(benchmark::State& state, EventEncoding encoding) {
  std::array<void*, kMostCapturedFrames> frames;
  std::vector<std::byte> event = prepare_event(encoding, 2048);
  run_under(state, [&](std::size_t count) {
    const std::span<void*> wanted = std::span(frames).first(count);
    benchmark::DoNotOptimize(capture_call_stack(wanted));
    write_stack(event, encoding, wanted);
  });
}

BENCHMARK(nothing)->Arg(1)->Arg(8)->Arg(64);
BENCHMARK(plain_backtrace)->Arg(1)->Arg(8)->Arg(64);
BENCHMARK_CAPTURE(into_event, binary, EventEncoding::binary)->Arg(1)->Arg(8)->Arg(64);
BENCHMARK_CAPTURE(into_event, text, EventEncoding::text)->Arg(1)->Arg(8)->Arg(64);

}  // namespace
}  // namespace tailgate
