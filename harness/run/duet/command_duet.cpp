#include "harness/run/duet/command_duet.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <utility>

#include "harness/base/error.h"
#include "harness/exec/call_floor.h"
#include "harness/os/process.h"
#include "harness/run/duet/call_figures.h"
#include "harness/run/duet/command_round.h"
#include "harness/run/duet/duet.h"
#include "harness/run/duet/line_program.h"
#include "harness/run/duet/resume.h"
#include "harness/samples/format.h"
#include "harness/trial/result_facts.h"

namespace tailgate {
namespace {

class CommandRunner {
 public:
  CommandRunner(const CommandDuetRequest& request, const Environment& environment,
                const CommandDuetObserver& observer)
      : request_(request),
        environment_(environment),
        observer_(observer),
        layouts_(request.layouts_a, request.layouts_b, request.seed) {
    duet_.id = random_id();
    duet_.started_utc = duet_.finished_utc = utc_now();
    duet_.label = environment.label;
    duet_.a = request.a;
    duet_.b = request.b;
    duet_.a.layouts = layouts_used(request.layouts_a);
    duet_.b.layouts = layouts_used(request.layouts_b);
    if (request.reads != nullptr) duet_.reads = request.reads->name;
    if (request.calls) duet_.reads = calls_format(*request.calls);
    duet_.placement = environment.placement;
    duet_.machine = environment.machine;
    duet_.build = environment.build;
    duet_.seed = request.seed;
    duet_.planned_rounds = request.rounds;
    duet_.timeout_s = request.timeout_s;
    if (request.earlier != nullptr) go_on_after(duet_, *request.earlier);
    begin_part(duet_);
  }

  CommandDuet run() {
    if (request_.calls && request_.earlier == nullptr) note_timing();
    // The first run of a program finds its files outside of the page cache, so it is not recorded,
    // unless it shows that the program does not work.
    CommandRound warm_up = run_command_round(request_, environment_, layouts_, 0);
    if (!warm_up.is_completed()) add(std::move(warm_up));
    while (!duet_.complete && !has_failed_ && !InterruptFlag::raised()) {
      add(run_command_round(request_, environment_, layouts_,
                            static_cast<unsigned>(duet_.rounds.size())));
    }
    return std::move(duet_);
  }

 private:
  // Timing adds this to each call on both sides, so it makes a relative change look smaller.
  void note_timing() {
    const Floor floor = measure_call_floor(
        *request_.calls,
        {program_of_line(request_.a.command, request_.directory_a),
         program_of_line(request_.b.command, request_.directory_b)},
        environment_.trial.clock, environment_.placement.load_cpus, environment_.scratch);
    duet_.remarks.push_back({fmt::format("calls are timed by {}, which adds {:.0f} ns to each",
                                         means_name(request_.calls->means), floor.loop_ns),
                             "do not expect to see differences that are small against it"});
  }

  // A run that fails ends the duet: with it no verdict can be a pass.
  void add(CommandRound round) {
    if (InterruptFlag::raised()) return;
    round.index = static_cast<unsigned>(duet_.rounds.size());
    has_failed_ = !round.is_completed();
    duet_.rounds.push_back(std::move(round));
    duet_.finished_utc = utc_now();
    duet_.parts->back().rounds = static_cast<unsigned>(duet_.rounds.size());
    if (has_failed_) {
      duet_.remarks.push_back({"the duet was ended by a run that failed",
                               "see the last round's outcome_detail for the cause"});
    } else {
      duet_.complete = duet_.rounds.size() == request_.rounds || observer_.enough(duet_);
    }
    duet_.parts->back().stopped = duet_.complete || has_failed_;
    observer_.round_ended(duet_);
  }

  const CommandDuetRequest& request_;
  const Environment& environment_;
  const CommandDuetObserver& observer_;
  PlacedLayouts layouts_;
  CommandDuet duet_;
  bool has_failed_ = false;
};

}  // namespace

CommandDuet run_command_duet(const CommandDuetRequest& request, const Environment& environment,
                             const CommandDuetObserver& observer) {
  return CommandRunner(request, environment, observer).run();
}

}  // namespace tailgate
