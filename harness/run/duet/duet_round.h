// Runs one round of a duet: sessions and processes of both sides alternate on one processor, in one
// visit or in several with other rounds between them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/overhead/sampler.h"
#include "harness/result/duet.h"
#include "harness/run/duet/duet_plan.h"
#include "harness/sink/catalog.h"
#include "harness/trial/processes/controller.h"
#include "harness/trial/trial_memory.h"

namespace tailgate {

// One side as requested.
struct DuetSideRequest {
  SinkChoice sink;
  LoadPlan load;
  std::filesystem::path program = {};  // absolute: of the provider and consumer processes; empty:
                                       // this program
};

struct RoundPlan {
  const DuetSideRequest& a;
  const DuetSideRequest& b;
  const TrialSettings& settings;
  TurnPlan turns;
  bool drained = false;  // each turn ends with a drain
  RoundOrder order;
  unsigned visits = 1;                          // in so many parts the round takes its turns
  std::filesystem::path directory;              // must not exist yet; removed afterwards
  std::function<void()> between_turns = [] {};  // called after each turn
};

// A round, and what was learned about the sides' sinks.
struct RoundOutcome {
  DuetRound round;
  std::vector<Setting> granted_a;
  std::vector<Setting> granted_b;
  bool classified = false;
  std::string why_calls_not_counted;  // the system calls; empty: they were, or were not to be
  bool interrupted = false;           // by the user: the figures are incomplete
};

struct RoundProgress {
  std::string what;        // "warm-up", "turns", "visit", "reading back" …
  int provider_pid_b = 0;  // 0 before it has started; for tests that kill it
};
// What can be traced of a side.
struct RoundProcesses {
  std::vector<std::uint32_t> threads;  // the load's, by the system's ids
  std::vector<WatchedProcess> processes;
};

using RoundCallback = std::function<void(const RoundProgress&)>;

// Call begin(), then visit() plan.visits times or until it has failed, then end(); or abandon() at
// any time. A failure of a sink or process is the outcome of that side; the other side's outcome is
// then "interrupted".
class Round {
 public:
  // report: called regularly with the current activity. Throws Error only if the round cannot be
  // set up.
  Round(RoundPlan plan, RoundCallback report);
  ~Round();
  Round(const Round&) = delete;
  Round& operator=(const Round&) = delete;

  // Starts the sessions and processes of both sides, and runs their warm-up turns.
  void begin();

  // Takes the turns of the next visit; does nothing after a failure.
  void visit();

  // Makes one call on each side, to find stalls between visits; does nothing after a failure.
  void probe();

  // Of a side, 'A' or 'B', that has begun.
  RoundProcesses processes(char side) const;

  // The calls that each load thread of a side has logged, in order of time. Empty lists if a log is
  // damaged, which end() will say.
  std::vector<std::vector<CallRecord>> logged_calls(char side) const;

  // The memory of a side's provider process now, in bytes; nothing where it is not known.
  std::optional<std::uint64_t> provider_rss_bytes(char side) const;

  bool has_failed() const;
  // Whether there is no visit left.
  bool has_had_all_turns() const;

  // Ends the processes, reads the events back and returns the figures.
  RoundOutcome end();

  // Ends the processes of a round that is not to be recorded.
  void abandon();

 private:
  class Sides;
  std::unique_ptr<Sides> sides_;
};

}  // namespace tailgate
