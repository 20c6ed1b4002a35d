// What a plugin adds to a call: the built-in null sink, and null sinks as plugins in C and C++.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "providers/plugin/calls.h"
#include "providers/plugin/library.h"
#include "providers/testing/sinks.h"

namespace {

using namespace tailgate;

void emit(benchmark::State& state, Provider& provider) {
  const std::vector<std::byte> event = prepare_event(EventEncoding::binary, 128);
  for (auto _ : state) {
    EmitStatus status = provider.emit(0, event);
    benchmark::DoNotOptimize(status);
    benchmark::ClobberMemory();
  }
}

TrialContext context() {
  return {.options = Options({}, "the benchmark")};
}

void built_in(benchmark::State& state) {
  emit(state, *test_sinks().floor().open_provider(context()));
}
BENCHMARK(built_in);

void plugin(benchmark::State& state, const char* name) {
  const std::string library = std::string(TAILGATE_PLUGINS) + "/" + name;
  const tailgate_sink& table = plugin_detail::load_table(library);
  emit(state, *plugin_detail::open_provider(table, context()));
}
BENCHMARK_CAPTURE(plugin, c, "tailgate_null_c" TAILGATE_PLUGIN_SUFFIX);
BENCHMARK_CAPTURE(plugin, cpp, "tailgate_null_cpp" TAILGATE_PLUGIN_SUFFIX);

}  // namespace
