#include "harness/exec/call_floor.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>

#include "harness/base/error.h"
#include "harness/exec/call_timing.h"
#include "harness/exec/choose_means.h"
#include "harness/exec/program_process.h"
#include "harness/os/install_paths.h"
#include "harness/result/latency.h"
#include "harness/trial/noise.h"

namespace tailgate {
namespace {

constexpr const char* kFloorProgram = "tailgate-floor";
constexpr std::chrono::seconds kPatience{20};

// Fewer, the longer each takes.
unsigned floor_calls(CallMeans means) {
  if (means == CallMeans::uprobe) return 2'000;
  return means == CallMeans::audit ? 20'000 : 100'000;
}

using Programs = std::vector<std::optional<std::filesystem::path>>;

bool all_begin_with_push(const CallList& calls, const Programs& programs) {
  return std::all_of(programs.begin(), programs.end(), [&](const auto& program) {
    const std::vector<ProbePlace> places = find_probe_places(calls, program.value());
    return std::all_of(places.begin(), places.end(), begins_with_push);
  });
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

Floor measure_call_floor(const CallList& calls, const Programs& programs,
                         const ClockParameters& clock, const std::vector<int>& cpus,
                         const std::filesystem::path& directory) {
  Floor floor;
  floor.two_clock_reads_ns = two_clock_reads_ns(Clock(clock));
  if (calls.means == CallMeans::none) return floor;
  const bool marks = calls.means == CallMeans::mark;
  const bool pushes = calls.means == CallMeans::uprobe && all_begin_with_push(calls, programs);
  CallList timed{calls.means, {}};
  if (!marks) timed.functions = {{"", pushes ? "tailgate_pushing" : "tailgate_nothing"}};
  CallMemory memory({.threads = 1, .slowest = 1, .clock = clock});
  const std::filesystem::path log = directory / "floor.log";
  const std::filesystem::path floor_program = own_helper(kFloorProgram);
  CallTiming timing(timed, floor_program, memory, clock, directory);
  ProgramProcess program({.command = {floor_program.string(),
                                      marks    ? "mark"
                                      : pushes ? "push"
                                               : "call",
                                      fmt::format("{}", floor_calls(calls.means))},
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
