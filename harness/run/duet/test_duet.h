// For tests of whole duets: runs short rounds in a temporary folder.
#pragma once

#include <catch2/catch.hpp>
#include <functional>
#include <utility>

#include "harness/os/affinity.h"
#include "harness/run/duet/duet.h"
#include "harness/sink/catalog.h"
#include "harness/trial/scratch.h"

namespace tailgate {

class Observer : public DuetObserver {
 public:
  std::function<void(const RoundProgress&)> on_progress = [](const RoundProgress&) {};
  std::function<bool(const Duet&)> on_enough = [](const Duet&) { return false; };
  unsigned ended = 0;
  std::size_t room_for_rounds = 1000;

  void progress(const Duet&, const RoundProgress& round, double) override { on_progress(round); }
  void round_ended(const Duet& duet) override {
    ++ended;
    CHECK(duet.rounds.size() == ended);
  }
  bool enough(const Duet& duet) override { return on_enough(duet); }
  bool full(const Duet& duet) override { return duet.rounds.size() == room_for_rounds; }
};

inline const ClockParameters& clock_used() {
  static const ClockParameters parameters = measure_clock();
  return parameters;
}

inline DuetSubjectRequest subject(SinkChoice sink) {
  DuetSubjectRequest subject{
      .side = {.sink = std::move(sink), .load = {}}, .label = "", .scenario = {}, .build = {}};
  subject.side.load.rate_hz = 20'000;
  subject.side.load.pacing = Pacing::spin;
  return subject;
}

inline DuetRequest request(SinkChoice a, SinkChoice b) {
  return {.a = subject(std::move(a)),
          .b = subject(std::move(b)),
          .wishes = {.turn_ms = 10, .turns = 10, .warmup_turns = 1},
          .rounds = 1,
          .seed = 1,
          .long_rounds = 0};
}

inline Duet run(const DuetRequest& request, Observer& observer) {
  const Scratch scratch({}, false);
  Environment environment;
  environment.trial.clock = clock_used();
  environment.trial.range = {
      .lowest_discernible = 1, .highest_trackable = 60'000'000'000, .significant_digits = 3};
  environment.trial.load_cpus = {initial_cpus().back()};
  environment.trial.consumer_cpus = {initial_cpus().front()};
  environment.trial.slowest = 0;
  environment.trial.noise_s = 0;
  environment.trial.hang_timeout_s = 5;
  environment.scratch = scratch.path();
  return run_duet(request, environment, observer);
}

inline Duet run(const DuetRequest& request) {
  Observer observer;
  return run(request, observer);
}

}  // namespace tailgate
