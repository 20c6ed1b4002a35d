#include "harness/exec/call_floor.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <fstream>

#include "harness/base/error.h"
#include "harness/calls/wrapped_functions.h"
#include "harness/exec/program_process.h"
#include "harness/os/install_paths.h"
#include "harness/result/latency.h"
#include "harness/trial/noise.h"

namespace tailgate {
namespace {

constexpr const char* kFloorProgram = "tailgate-floor";
constexpr const char* kFloorFunction = "tailgate_nothing";
constexpr std::chrono::seconds kPatience{20};

// The loader takes a list of libraries, in which it knows no quotes.
std::string loadable(const std::string& library, const char* separators) {
  const std::string path = own_helper(library).string();
  if (path.find_first_of(separators) == std::string::npos) return path;
  throw Error(fmt::format("the dynamic linker cannot be told to load '{}'", path),
              "install tailgate to a path without spaces and colons");
}

// In front of what the user's environment lists already.
std::pair<std::string, std::string> loader_variable(const char* name, const std::string& path) {
  const char* const before = std::getenv(name);
  const bool any = before != nullptr && *before != '\0';
  return {name, any ? path + ":" + before : path};
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

std::vector<std::pair<std::string, std::string>> timing_environment(const CallList& calls,
                                                                    const CallMemory& memory) {
  if (calls.means == CallMeans::none) return {};
  const bool marks = calls.means == CallMeans::mark;
  std::vector<std::pair<std::string, std::string>> environment = {
      {TAILGATE_MARK_VARIABLE, marks ? memory.path() : ""},
      {TAILGATE_WRAPPED_VARIABLE, marks ? "" : memory.path()}};
  if (calls.means == CallMeans::preload) {
    environment.push_back(
        loader_variable("LD_PRELOAD", loadable("libtailgate-preload.so", " :\t\n")));
  } else if (calls.means == CallMeans::audit) {
    environment.push_back(loader_variable("LD_AUDIT", loadable("libtailgate-audit.so", ":")));
    environment.emplace_back("LD_BIND_NOW", "");  // lazily, as the audit interface needs it
  }
  if (!calls.functions.empty()) {
    environment.emplace_back(TAILGATE_CALLS_VARIABLE, functions_text(calls));
  }
  return environment;
}

Floor measure_call_floor(CallMeans means, const ClockParameters& clock,
                         const std::vector<int>& cpus, const std::filesystem::path& directory) {
  Floor floor;
  floor.two_clock_reads_ns = two_clock_reads_ns(Clock(clock));
  if (means == CallMeans::none) return floor;
  CallList calls{means, {}};
  if (means != CallMeans::mark) calls.functions = {{"", kFloorFunction}};
  const CallMemory memory({.threads = 1, .slowest = 1, .clock = clock});
  const std::filesystem::path log = directory / "floor.log";
  ProgramProcess program(
      {.command = {own_helper(kFloorProgram).string(), means == CallMeans::mark ? "mark" : "call",
                   means == CallMeans::audit ? "20000" : "100000"},
       .environment = timing_environment(calls, memory),
       .log = log,
       .cpus = cpus});
  program.begin();
  program.ended_within(kPatience);
  floor.loop_ns = printed_ns(log, program.end());
  floor.service = make_latency(memory.times().service);
  return floor;
}

}  // namespace tailgate
