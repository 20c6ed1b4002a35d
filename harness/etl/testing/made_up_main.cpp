// Holds the list of what only made-up data tests (made_up.h) against real traces: a kind that one
// of them has must not be in it, and a kernel layout whose events none has must be.
//
//   tailgate_etl_made_up [FOLDER]     exit code 77: there are no traces
#include <fmt/format.h>

#include <set>

#include "harness/etl/kernel_layout_table.h"
#include "harness/etl/made_up.h"
#include "harness/etl/testing/samples.h"
#include "harness/etl/trace_reader.h"

using namespace tailgate::etl;

namespace {

std::set<std::uint16_t> hooks_in(const std::vector<Sample>& samples) {
  std::set<std::uint16_t> hooks;
  for (const Sample& sample : samples) {
    const TraceFile file(sample.bytes, sample.name);
    TraceReader reader({&file}, ReadOrder::file);
    while (const Record* record = reader.next()) {
      const RecordHeader header = decode_header(*record);
      if (header.is_kernel()) hooks.insert(header.hook_id);
    }
  }
  return hooks;
}

std::set<std::uint16_t> hooks_of_layouts() {
  std::set<std::uint16_t> hooks;
  for (const KernelLayoutRow& row : kernel_layout_rows()) {
    const unsigned last = row.last_hook_type == 0 ? row.hook_id & 0xFFu : row.last_hook_type;
    for (unsigned type = row.hook_id & 0xFFu; type <= last; ++type) {
      hooks.insert(static_cast<std::uint16_t>((row.hook_id & 0xFF00u) | type));
    }
  }
  return hooks;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<Sample> samples = read_samples(argc > 1 ? argv[1] : nullptr);
  if (samples.empty()) {
    fmt::print("skipped: no .etl files; name their folder in TAILGATE_ETL_SAMPLES\n");
    return kExitSkipped;
  }
  const std::set<std::uint16_t> real = hooks_in(samples);
  int wrong = 0;
  for (const std::uint16_t hook : real) {
    if (MadeUpKinds::of_hook(hook).empty()) continue;
    ++wrong;
    fmt::print("{:#06x}: a real trace has it, made_up.cpp lists it\n", hook);
  }
  for (const std::uint16_t hook : hooks_of_layouts()) {
    if (real.contains(hook) || !MadeUpKinds::of_hook(hook).empty()) continue;
    ++wrong;
    fmt::print("{:#06x}: no real trace has it, made_up.cpp does not list it\n", hook);
  }
  fmt::print("{} kinds of kernel events in {} real traces; wrong in made_up.cpp: {}\n", real.size(),
             samples.size(), wrong);
  return wrong == 0 ? 0 : 1;
}
