#include "harness/exec/call_floor.h"

#include <fmt/format.h>

#include <chrono>
#include <fstream>

#include "harness/base/error.h"
#include "harness/exec/call_timing.h"
#include "harness/exec/program_process.h"
#include "harness/os/install_paths.h"
#include "harness/result/latency.h"
#include "harness/trial/noise.h"

namespace tailgate {
namespace {

constexpr const char* kFloorProgram = "tailgate-floor";
constexpr const char* kFloorFunction = "tailgate_nothing";
constexpr std::chrono::seconds kPatience{20};

// Fewer, the longer each takes.
unsigned floor_calls(CallMeans means) {
  if (means == CallMeans::uprobe) return 2'000;
  return means == CallMeans::audit ? 20'000 : 100'000;
}

double printed_ns(const std::filesystem::path& log, const ChildEnd& end) {
  double mean_ns = 0;
  std::ifstream file(log);
  if (end.exited && end.code == 0 && file >> mean_ns) return mean_ns;
  throw Error(fmt::format("the cost of timing a call could not be measured: {} ended by {}",
                          kFloorProgram, end.text()),
              "use --calls none, or find out why that program does not run here");
}

}  // namespace

Floor measure_call_floor(CallMeans means, const ClockParameters& clock,
                         const std::vector<int>& cpus, const std::filesystem::path& directory) {
  Floor floor;
  floor.two_clock_reads_ns = two_clock_reads_ns(Clock(clock));
  if (means == CallMeans::none) return floor;
  CallList calls{means, {}};
  if (means != CallMeans::mark) calls.functions = {{"", kFloorFunction}};
  CallMemory memory({.threads = 1, .slowest = 1, .clock = clock});
  const std::filesystem::path log = directory / "floor.log";
  const std::filesystem::path floor_program = own_helper(kFloorProgram);
  CallTiming timing(calls, floor_program, memory, clock, directory);
  ProgramProcess program(
      {.command = {floor_program.string(), means == CallMeans::mark ? "mark" : "call",
                   fmt::format("{}", floor_calls(means))},
       .environment = timing.environment(),
       .log = log,
       .cpus = cpus});
  timing.watch(program.pid());
  program.begin();
  program.ended_within(kPatience);
  timing.stop();
  floor.loop_ns = printed_ns(log, program.end());
  floor.service = make_latency(memory.times().service);
  return floor;
}

}  // namespace tailgate
