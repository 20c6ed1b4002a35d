// Duets: two sides measured against each other, round after round. README.md says how and why.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "harness/duet/duet_plan.h"
#include "harness/duet/duet_round.h"
#include "harness/result/duet.h"
#include "harness/trial/controller.h"

namespace tailgate {

// A side with what its file says of it beyond what the sink and the load tell.
struct DuetSubjectRequest {
  DuetSideRequest side;
  std::string label;      // empty: the sink as given
  ScenarioUsed scenario;  // what shaped the load
  Build build;            // of the program that plays the side's roles
};

struct DuetRequest {
  DuetSubjectRequest a;
  DuetSubjectRequest b;
  SliceWishes wishes;
  unsigned rounds = 20;  // at most
  std::uint64_t seed = 1;
};

struct DuetEnvironment {
  TrialSettings trial;  // noise_s, interval_s, slowest, victim_cpus and trace play no part
  Placement placement;
  Machine machine;
  Build build;                    // of this program
  std::string label;              // Duet::label
  std::filesystem::path scratch;  // exists; each round gets a folder in it
};

// Told what happens; for progress, for writing the file as it grows, and to end the duet early.
class DuetObserver {
 public:
  virtual ~DuetObserver() = default;
  // left_s: about how long the planned rounds still take; 0 before that can be told.
  virtual void progress(const Duet& duet, const RoundProgress& round, double left_s) = 0;
  // After each round, which is duet.rounds.back(); duet.complete tells whether it was the last.
  virtual void round_ended(const Duet& duet) = 0;
  // Asked after each round but the last planned one: whether no more are needed.
  virtual bool enough(const Duet& duet) = 0;
};

// Rounds in which a side did not complete before the duet is given up.
inline constexpr unsigned kMostFailedRounds = 3;

// Throws Error when the loads cannot be cut into slices or a sink is not available.
void check_duet(const DuetRequest& request, const DuetEnvironment& environment);

// Runs the rounds. A round that the user interrupts is left out, and the duet then not complete;
// nor is one that was given up because rounds failed. Throws Error as check_duet does, and when a
// round cannot be set up.
Duet run_duet(const DuetRequest& request, const DuetEnvironment& environment,
              DuetObserver& observer);

}  // namespace tailgate
