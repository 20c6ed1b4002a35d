// Runs duets: compares two sides, round after round. README.md explains how and why.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/result/duet.h"
#include "harness/run/duet/duet_plan.h"
#include "harness/run/duet/duet_round.h"
#include "harness/run/duet/layouts.h"
#include "harness/run/environment.h"

namespace tailgate {

// A requested side, with the facts that the duet's file records about it.
struct DuetSubjectRequest {
  DuetSideRequest side;
  std::string label;      // empty: the sink as given
  ScenarioUsed scenario;  // the scenario that defined the load
  Build build;            // build of the program that runs the side's processes
  SideLayouts layouts = {};
};

// Of 15 rounds so many live long, where the user says nothing: after thirty rounds the gate can
// then tell from chance a stall that comes once in each of them, by 16 one-sided rounds; 14 do not
// do.
inline constexpr unsigned kLongRounds = 8;

struct DuetRequest {
  DuetSubjectRequest a;
  DuetSubjectRequest b;
  TurnWishes wishes;
  unsigned rounds = 20;  // maximum, with those of `earlier`
  std::uint64_t seed = 1;
  unsigned long_rounds = kLongRounds;  // as plan_generation takes them
  unsigned generation_rounds = kGenerationRounds;
  // Numbers of completed rounds, ascending: a generation ends at each of them.
  std::vector<unsigned> looks = {};
  const Duet* earlier = nullptr;  // go on after its rounds; null: begin anew
};

// Is notified during the duet, to show progress, to write the file as it grows, and to end it
// early.
class DuetObserver {
 public:
  virtual ~DuetObserver() = default;
  // left_s: estimated time left for the planned rounds; 0 if not known yet.
  virtual void progress(const Duet& duet, const RoundProgress& round, double left_s) = 0;
  // Called after each round, duet.rounds.back(). duet.complete tells that no other one starts; the
  // long rounds that have had all their turns are yet to end.
  virtual void round_ended(const Duet& duet) = 0;
  // Called after each round except the last planned one: returns whether no more are needed.
  virtual bool enough(const Duet& duet) = 0;
  // Called after each round, before round_ended: returns whether the duet has no room for another
  // one. It then ends with a remark; it is not complete unless it was the last round.
  virtual bool full(const Duet& duet) = 0;
};

// The duet ends after this number of rounds in which a side did not complete.
inline constexpr unsigned kMaxFailedRounds = 3;

// If one side needs drains, both get them, so that their turns have the same length.
bool needs_drain(const DuetRequest& request);

// The turns of each side of a round. Throws Error like common_turns.
TurnPlan turns_of(const DuetRequest& request);

// Throws Error if a load cannot be divided into turns, a sink is not available, or the rounds of
// `earlier` are of other sides, another seed, machine or start of it. A duet ignores
// the environment's trial settings noise_s, interval_s, slowest, victim_cpus and trace.
void check_duet(const DuetRequest& request, const Environment& environment);

// Runs the rounds, in generations of fresh and long ones. A round that the user interrupts is
// left out, and a long one that has not had all its turns when the duet ends; one that has
// failed by then is recorded. The duet is not complete if the
// user interrupted it or if it ended because rounds failed. Throws Error like check_duet, and if a
// round cannot be set up.
Duet run_duet(const DuetRequest& request, const Environment& environment, DuetObserver& observer);

}  // namespace tailgate
