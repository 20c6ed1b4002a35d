// Which of the measured logging paths may be used for a load, and why the others may not.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/survives.h"
#include "harness/result/result.h"

namespace tailgate {

// What a program needs of its logging path.
struct LoggingNeeds {
  double rate_hz = 0;          // events per second, evenly spaced, all threads together
  std::string payload = {};    // bytes of an event, as Load::payload; empty: as most have
  unsigned threads = 1;        // that log
  double most_lost_share = 0;  // of its events
  Survives survives = Survives::nothing;
  // ranking_columns(): by which those that qualify are ordered. Empty: p99, or p50 where the
  // machine's gaps decide the tails.
  std::string sort = {};
};

// A sink among the results.
struct Candidate {
  std::string sink;  // its label
  std::string file;
  std::vector<std::string> why_not = {};  // empty: it qualifies
  bool measured = false;                  // at that load; what follows is of its step
  std::size_t trials = 0;                 // that completed
  Latency response = {};                  // without the distribution
  double achieved_rate_hz = 0;
  std::uint64_t emitted = 0;
  std::uint64_t lost = 0;
  std::optional<double> cpu_ns = {};  // of logging an event
  std::optional<Survives> survives = {};

  bool qualifies() const { return why_not.empty(); }
};

struct Recommendation {
  LoggingNeeds needs;
  std::string payload;                // of the results that were used; empty: none
  std::vector<Candidate> candidates;  // those that qualify, the best first; then the others
  std::vector<std::string> doubts;    // why the numbers may not be trusted; empty: they may
  std::vector<std::string> close;     // sinks that the trials do not tell from the best one
  std::string measure;                // the run to make where too little was measured; else empty

  const Candidate* best() const {
    return candidates.empty() || !candidates.front().qualifies() ? nullptr : &candidates.front();
  }
};

}  // namespace tailgate
