// Traces and samples both sides of a round, and cuts what they did into parts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/explain/difference.h"
#include "harness/explain/trace.h"
#include "harness/profile/sampler.h"
#include "harness/result/duet.h"
#include "harness/run/duet/duet_round.h"
#include "harness/run/duet/memory_parts.h"

namespace tailgate {

struct RoundTracePlan {
  Clock clock;                      // the run clock
  std::filesystem::path directory;  // exists, and is of this trace alone
  double sample_hz = 0;
};

// What both sides of one round took, by what is compared: times (DifferenceSum::measure) in
// nanoseconds for each event, memory in bytes.
struct TracedAmounts {
  activity::RoundAmounts call;
  activity::RoundAmounts slow_call;
  activity::RoundAmounts daemons;
  activity::RoundAmounts other_threads;
  std::optional<activity::RoundAmounts> memory;  // nothing: not known
};

class RoundTrace {
 public:
  // Starts to record. The round has begun. Throws Error if the trace fails to start; what this
  // user may not see is said by limits().
  RoundTrace(const Round& round, const RoundTracePlan& plan);
  ~RoundTrace();
  RoundTrace(const RoundTrace&) = delete;
  RoundTrace& operator=(const RoundTrace&) = delete;

  // Call it when the turns are over, while the processes still exist.
  void stop(const Round& round);

  // Call it once, after stop(). outcome: of the round, once it has ended.
  TracedAmounts amounts(const DuetRound& outcome);

  // After amounts(): as Difference has them; what both sides lack is listed once.
  const std::string& trace_method() const { return trace_method_; }
  const std::string& sample_method() const { return sample_method_; }
  std::uint64_t samples() const { return samples_; }
  const std::vector<std::string>& limits() const { return limits_; }
  // Names of the sessions' daemons, once the trace has begun.
  std::string daemons() const;

 private:
  struct Side {
    RoundProcesses processes;
    std::unique_ptr<profile::StackSampler> sampler = {};  // nothing: not available
    std::unique_ptr<profile::StackSampler> faults = {};   // likewise
    ProviderMemory memory = {};
    std::vector<std::vector<CallRecord>> calls = {};  // once it has stopped
    profile::Samples samples = {};                    // once it was read
  };

  void start_sampler(const RoundTracePlan& plan, Side& side);
  void start_faults(const RoundTracePlan& plan, Side& side);
  void read_samples(Side& side);
  std::optional<activity::SideAmounts> memory_of(Side& side, const DuetSide& figures);
  void add_limit(const std::string& limit);
  void add_calls(const activity::Timeline& timeline, const TraceUsed& used, const Side& side,
                 activity::SideAmounts& call, activity::SideAmounts& slow_call) const;
  void add_others(const Side& side, const DuetSide& figures, activity::SideAmounts& daemons,
                  activity::SideAmounts& other_threads) const;

  Clock clock_;
  Side a_;
  Side b_;
  std::unique_ptr<activity::Trace> trace_;
  std::uint64_t begin_ns_ = 0;
  std::uint64_t end_ns_ = 0;
  std::string trace_method_ = "none";
  std::string sample_method_ = "none";
  std::uint64_t samples_ = 0;
  std::vector<std::string> limits_;
};

}  // namespace tailgate
