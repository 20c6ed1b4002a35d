// Runs both commands of a duet once, one after the other.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>

#include "harness/calls/call_list.h"
#include "harness/result/command_duet.h"
#include "harness/run/duet/layouts.h"
#include "harness/run/environment.h"

namespace tailgate {

struct SampleFormat;

// Where a run is to write a file that is then read in place of its standard output.
inline constexpr const char* kOutPlace = "{out}";

struct CommandDuetRequest {
  CommandSubject a;
  CommandSubject b;
  std::filesystem::path directory_a = {};  // where A's command starts; empty: in this process's
  std::filesystem::path directory_b = {};  // likewise
  SideLayouts layouts_a = {};
  SideLayouts layouts_b = {};
  const SampleFormat* reads = nullptr;  // null: the figures are wall and processor time
  // Timed calls are the figures, in place of `reads`; as choose_means() returned them for both.
  std::optional<CallList> calls = {};
  unsigned rounds = 20;  // maximum, with those of `earlier`
  std::uint64_t seed = 1;
  const CommandDuet* earlier = nullptr;  // go on after its rounds; null: begin anew
  double timeout_s = 600;                // of each run
  std::filesystem::path
      logs;  // what a run that failed printed goes to the files LOGS.a.log, .b.log
};

// Called for side 'A' and side 'B'.
struct CommandRoundHooks {
  std::function<void(char side, int pid)> before_start = {};  // as in CommandOptions
  std::function<void(char side)> ended = {};                  // also where the run failed
};

// number: decides the order, the layouts and the sizes of the environment; `index` of the round is
// left to the caller. After the user's interrupt the runs' outcome says so. Throws Error where a
// command cannot be started at all.
CommandRound run_command_round(const CommandDuetRequest& request, const Environment& environment,
                               PlacedLayouts& layouts, unsigned number,
                               const CommandRoundHooks& hooks = {});

}  // namespace tailgate
