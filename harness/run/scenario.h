// A scenario defines load: it converts its options to one or more steps. Each step is a load plan
// that several trials run. `scenarios/README.md` shows how to add a scenario.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/options.h"
#include "harness/result/result.h"
#include "harness/trial/early_end.h"
#include "harness/trial/load.h"

namespace tailgate {

// What a scenario that searches sees of a trial of an earlier step.
struct StepTrial {
  bool completed = false;
  bool rate_missed = false;
  bool by_machine = false;   // and that is proven to be the machine's fault
  bool measured = false;     // there are response times
  bool refused = false;      // an action could not be done
  bool interrupted = false;  // by the user, or because the controller ended
  double recorded_s = 0;     // from the start of recording to the last return
  std::uint64_t response_p99_9_ns = 0;
  LedgerAccount ledger;
};

StepTrial step_trial(const Trial& trial);

// The outcome of an earlier step.
struct StepOutcome {
  LoadPlan load;
  bool saturated = false;   // the median trial missed its rate
  bool by_machine = false;  // and that is proven to be the machine's fault, after several attempts
  bool failed = false;      // no trial completed
  bool not_taken = false;   // the sink cannot take such a load, so there was none
  std::vector<StepTrial> trials = {};
};

class Scenario {
 public:
  virtual ~Scenario() = default;

  virtual std::string name() const = 0;
  virtual std::string description() const = 0;  // one line, no full stop
  virtual OptionTable options() const = 0;      // with_load_options() of its own options

  // Returns the load of the next step, given the outcome of the earlier steps; nothing if the
  // scenario is over. Throws Error if the options contradict each other.
  virtual std::optional<LoadPlan> next_step(const Options& options,
                                            std::span<const StepOutcome> before) const = 0;

  // Trials of the next step.
  virtual std::size_t trials(const Options& options, std::span<const StepOutcome> before) const {
    static_cast<void>(before);
    return static_cast<std::size_t>(options.integer("trials"));
  }

  // What is done to a trial's processes in that step. A scenario without actions of its own may be
  // given some by a preset.
  virtual std::vector<TrialAction> actions(const Options& options, std::size_t step) const {
    static_cast<void>(options);
    static_cast<void>(step);
    return {};
  }

  // Options that the sink has in that step beside those that the user gave: of a wrapper, such as
  // "queued_events=1024". Nothing: the sink as the user gave it.
  virtual std::vector<std::string> sink_options(const Options& options, std::size_t step) const {
    static_cast<void>(options);
    static_cast<void>(step);
    return {};
  }

  // Whether its trials are to record how much room their files take, and which events are left.
  virtual bool asks_for_storage() const { return false; }

  // What ends its trials' loads early.
  virtual EndLimits end_limits(const Options& options) const {
    static_cast<void>(options);
    return {};
  }

  // How often the result is written while a trial's load runs, in seconds; 0: after the trial only.
  virtual double checkpoint_s(const Options& options) const {
    static_cast<void>(options);
    return 0;
  }

  // Whether a run that was interrupted can go on later: next_step() then gets what was interrupted
  // as one of the earlier steps, each of one trial, and returns what is left.
  virtual bool can_resume() const { return false; }

  // Whether the same load is also run on the null sink, to tell what logging costs.
  virtual bool wants_controls() const { return true; }

  // The group of the kernel's events that is on in that step; nothing: the scenario does not ask
  // what they cost.
  virtual std::optional<KernelGroup> kernel_group(const Options& options, std::size_t step) const {
    static_cast<void>(options);
    static_cast<void>(step);
    return std::nullopt;
  }

  // Whether answer() can judge trials; a preset may name such a scenario as its judge.
  virtual bool judges() const { return false; }

  // What the trials so far answer, of this or another scenario that did the same to its trials;
  // nothing if it asks nothing, or as long as there is no answer.
  virtual std::optional<Answer> answer(const Result& result) const {
    static_cast<void>(result);
    return std::nullopt;
  }

  // The maximum number of steps, for progress.
  virtual std::size_t max_steps(const Options& options) const {
    static_cast<void>(options);
    return 1;
  }
};

// Every scenario's .cpp file defines one of these, named make_NAME_scenario; scenarios/all.cpp
// lists them.
using ScenarioFactory = std::unique_ptr<const Scenario>();

// The scenarios of a program, by name. Only the program's main function fills it.
class ScenarioCatalog {
 public:
  // Adds a scenario at the end of the list. Names must be unique.
  void add(std::unique_ptr<const Scenario> scenario);

  const std::vector<std::unique_ptr<const Scenario>>& all() const { return scenarios_; }

  // Returns the scenario of that name. Throws Error that lists the known names, the nearest first.
  const Scenario& find(std::string_view name) const;

 private:
  std::vector<std::unique_ptr<const Scenario>> scenarios_;
};

// Returns the scenario's own options followed by those that every scenario has: threads, processes,
// payload,
// warmup_s, duration_s, events, pacing, seed, trials.
OptionTable with_load_options(OptionTable own);

// Returns the table with other defaults of the options that are named.
OptionTable with_defaults(OptionTable table,
                          const std::vector<std::pair<std::string, std::string>>& defaults);

// Returns the table without options that would play no part in the scenario.
OptionTable without_options(OptionTable table, const std::vector<std::string>& names);

// Returns the options with which a scenario ran; those that the result does not have, at their
// defaults.
Options given_options(const Scenario& scenario, const Result& result);

// Returns the part of a load plan that these shared options set, as far as the scenario has them.
// Throws Error.
LoadPlan load_from(const Options& options);

// Parses "1000, 10k, 1M" to {1000, 10000, 1000000}. name: of the option, for errors. Throws Error
// unless the list is ascending.
std::vector<double> parse_rates(const std::string& text, const std::string& name = "rates_hz");

}  // namespace tailgate
