// The changes that the wrapper can plant into any sink.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "harness/base/options.h"
#include "providers/shared/delay/delay_random.h"
#include "providers/shared/delay/stall_plan.h"

namespace tailgate {

// Which calls are changed. With every value as it is here: all of them.
struct PlantedCalls {
  std::optional<unsigned> thread;  // only those of this load thread, …
  std::uint64_t after_ns = 0;      // … that begin so long after the first call of all threads …
  std::size_t over_bytes = 0;      // … with an event longer than this
};

struct Plant {
  PlantedCalls calls;
  double slower_share = 0;          // each call takes longer by this share of its time, …
  std::uint64_t slower_ns = 0;      // … and by this time
  double tail_share = 0;            // this share of the calls, drawn at random, …
  std::uint64_t tail_ns = 0;        // … takes longer by this time, …
  std::uint64_t tail_burst = 1;     // … so many in a row
  StallPlan stalls;                 // a call that begins in a stall returns at its end
  bool sleeps = false;              // calls sleep for what they take longer, and do not spin
  std::uint64_t leak_bytes = 0;     // memory that each call allocates and never frees
  double loss_share = 0;            // this share of the events, drawn at random, is dropped
  double system_calls = 0;          // more system calls per call, on average
  std::uint64_t written_bytes = 0;  // more bytes that each call writes to a file
  std::uint64_t sync_every = 0;  // every so many calls of a thread one block is synced to storage
  std::uint64_t lock_ns = 0;     // another thread holds a lock for this time that calls take, …
  std::uint64_t lock_every_ns = 0;  // … once in this time
  std::uint64_t start_ns = 0;       // opening the sink takes longer by this time
  std::uint64_t stop_ns = 0;        // closing it takes longer by this time
  bool daemon = false;              // the session has a planted daemon, …
  std::uint64_t daemon_ns = 0;      // … which spends this processor time per call
};

// The wrapper's options; the name of each begins with "plant_".
OptionTable plant_options();

// Whether the options ask for a daemon.
bool plants_daemon(const Options& options);

// Throws Error when stalls are as long as their period or longer.
Plant plant_from(const Options& options);

// Memory that grows like a leak. Each piece is cut from a larger block and written to, so that its
// pages become resident.
class Leak {
 public:
  // Does nothing when the system has no memory left.
  void grow(std::size_t bytes) noexcept;

 private:
  static constexpr std::size_t kBlockBytes = 64 * 1024;
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::size_t left_ = 0;
};

}  // namespace tailgate
