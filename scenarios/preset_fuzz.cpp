// Any bytes as a preset or a suite: the outcome is a preset or an Error, and so is the load that
// its scenario plans with its settings.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "harness/base/error.h"
#include "harness/run/preset.h"
#include "providers/all.h"
#include "scenarios/all.h"

namespace {

const tailgate::Catalog& catalog() {
  static const struct Filled : tailgate::Catalog {
    Filled() {
      add_all_sinks(sinks);
      add_all_scenarios(scenarios);
    }
  } filled;
  return filled;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tailgate;
  try {
    const Preset preset = parse_preset(
        catalog(), std::string_view(reinterpret_cast<const char*>(data), size), "input.toml");
    for (const PresetRun& run : preset.runs) {
      run.scenario->max_steps(run.options);
      run.scenario->next_step(run.options, {});
    }
  } catch (const Error&) {
    // Refused: what the reader is there for.
  }
  return 0;
}
