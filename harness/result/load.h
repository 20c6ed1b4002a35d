// The load of a trial as a result describes it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/result/values.h"

namespace tailgate {

// The load that the scenario planned for one step.
struct Load {
  Shape shape = Shape::steady;
  double rate_hz = 0;
  double end_rate_hz = 0;
  std::uint64_t burst_events = 0;
  double burst_gap_s = 0;
  unsigned threads = 1;
  std::optional<unsigned> processes;
  std::optional<unsigned> sessions;
  std::optional<bool> own_sessions = {};
  std::string payload;
  double warmup_s = 0;
  double duration_s = 0;
  std::uint64_t events = 0;
  Pacing pacing = Pacing::hybrid;
  std::uint64_t seed = 0;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("shape", &Load::shape, "steady, poisson, burst, ramp (open loop) or max (closed loop)");
    v("rate_hz", &Load::rate_hz,
      "target rate of all threads together, in events per second; ramp: at the start; 0 for max");
    v("end_rate_hz", &Load::end_rate_hz,
      "ramp only: target rate at the end; else equal to rate_hz");
    v("burst_events", &Load::burst_events,
      "burst: events per burst and thread; max: a thread's calls between two pauses, or 0 for no "
      "pauses; else 0");
    v("burst_gap_s", &Load::burst_gap_s,
      "burst: time between the starts of two bursts of one thread, in seconds; max: length of the "
      "pauses, in seconds; else 0");
    v("threads", &Load::threads, "load threads, of all provider processes together");
    v("processes", &Load::processes,
      "provider processes, which have equal shares of the threads; absent if there is one");
    v("sessions", &Load::sessions,
      "sessions that got the events, of which the first was measured; absent if there is one");
    v("own_sessions", &Load::own_sessions,
      "each provider process wrote into a session of its own, and all were measured; absent if "
      "not");
    v("payload", &Load::payload,
      "event size in bytes, header included: a number, 'uniform(a,b)' or 'lognormal(p50,p99)'; or "
      "'lines(largest)': log lines of unusual kinds");
    v("warmup_s", &Load::warmup_s, "seconds of load before recording starts");
    v("duration_s", &Load::duration_s, "seconds of recorded load; 0: limited by event count");
    v("events", &Load::events,
      "number of recorded events of all threads together; 0: limited by duration");
    v("pacing", &Load::pacing,
      "how a load thread waits for the intended time: spin, hybrid, sleep");
    v("seed", &Load::seed, "seed of all random numbers of the schedule and the payload");
  }
};

}  // namespace tailgate
