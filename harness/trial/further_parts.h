// Provider processes, consumer processes and a rival's session that a scenario starts during the
// load: from when to when each was there, and what became of its events.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/result/action.h"
#include "harness/result/result.h"
#include "harness/sink/catalog.h"
#include "harness/trial/trial_memory.h"

namespace tailgate {

// Adds to the load the provider processes that these actions start, where the sink takes events
// from several. Each of them has as much of the load as each of the others.
void add_late_processes(const std::vector<TrialAction>& actions, const SinkChoice& sink,
                        LoadPlan& load);

// Lives in the controller, which starts and ends them.
class FurtherParts {
 public:
  // The memory must outlive this object.
  explicit FurtherParts(const TrialMemory& memory) : memory_(memory) {}

  void program_started(unsigned process, std::uint64_t now_ns);
  // Returns the number of the consumer's block, from 1.
  unsigned consumer_started(std::uint64_t now_ns);
  void rival_started(std::uint64_t now_ns);

  bool any() const { return !parts_.empty(); }
  // Whether one of that kind was started and not ended.
  bool runs(ActionTarget who) const { return first_running(who) != parts_.size(); }

  // Call it before the rival's session is told to end.
  void before_rival_ends();
  // Tells the first running process of that kind to end its work, and notes the time. A rival's
  // session has no process: the caller ends it, and only the time is noted.
  void end(ActionTarget who, std::uint64_t now_ns);
  // The trial's session has been stopped, and with it the rival's.
  void session_ended(std::uint64_t now_ns);

  // The number of the block of the consumer that is to read the rival's session; nothing if there
  // was none.
  std::optional<unsigned> reader_of_rival();

  // After everything was read. ledger: of the trial's own session.
  std::vector<FurtherUse> uses(const LedgerAccount& ledger) const;

 private:
  struct Part {
    ActionTarget who = ActionTarget::program;
    unsigned number = 0;  // of the process or of the consumer's block
    std::uint64_t from_ns = 0;
    std::uint64_t to_ns = 0;  // 0: it was not told to end
  };
  // Calls of each thread.
  using Calls = std::vector<std::uint64_t>;

  std::size_t first_running(ActionTarget who) const;
  Calls calls(std::atomic<std::uint64_t> ThreadBlock::*count) const;
  FurtherUse use_of(const Part& part, const LedgerAccount& ledger) const;
  void add_program(const Part& part, const LedgerAccount& ledger, FurtherUse& use) const;
  void add_reader(const Part& part, FurtherUse& use) const;
  void add_thread_of_rival(unsigned thread, const ThreadRead& read, FurtherUse& use) const;

  const TrialMemory& memory_;
  std::vector<Part> parts_;
  unsigned consumers_ = 0;
  Calls rival_from_;  // begun when its session had been started
  Calls rival_to_;    // returned when it was told to end
};

}  // namespace tailgate
