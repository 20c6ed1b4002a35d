// The changes that can be planted into any sink.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "harness/base/options.h"
#include "providers/delay/delay_random.h"
#include "providers/delay/stall_plan.h"

namespace tailgate {

struct Plant {
  double slower_share = 0;       // each call takes this share of its time longer
  double tail_share = 0;         // this share of calls, drawn at random, …
  std::uint64_t tail_ns = 0;     // … takes so much longer
  StallPlan stalls;              // calls that begin in a stall wait for its end
  std::uint64_t leak_bytes = 0;  // memory that each call allocates and never frees
  bool daemon = false;           // a daemon is there, …
  std::uint64_t daemon_ns = 0;   // … which spends this processor time for each call
  std::uint64_t seed = 1;
};

// The options, all of which begin with "plant_".
OptionTable plant_options();

// Whether the options ask for a daemon.
bool plants_daemon(const Options& options);

// Throws Error when a stall leaves no time between stalls.
Plant plant_from(const Options& options);

// Memory that grows as a leak does: used up piece by piece, fresh pages touched as they are
// reached.
class Leak {
 public:
  // Does nothing when there is no memory.
  void grow(std::size_t bytes) noexcept;

 private:
  static constexpr std::size_t kBlockBytes = 64 * 1024;
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::size_t left_ = 0;
};

}  // namespace tailgate
