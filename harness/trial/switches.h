// Switches of the session under load: where each load thread was, how long the calls around them
// took, and what became of the events.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "harness/histogram/histogram.h"
#include "harness/os/clock.h"
#include "harness/result/result.h"
#include "harness/trial/trial_memory.h"

namespace tailgate {

// Lives in the controller, which calls begin() before each switch and then end() or cancel().
class SwitchWatch {
 public:
  explicit SwitchWatch(const TrialMemory& memory);

  // Whether the trial's memory has room for another switch.
  bool has_room() const;

  void begin();
  // The session has carried it out; it listens from now on, or does not. Waits until each load
  // thread has made one more call, but no longer than 50 ms.
  void end(bool on);
  // The same for a rival's session: what the first one records is not to change.
  void end_of_rival();
  // The session has not carried it out.
  void cancel() { begun_.reset(); }

  // After the load; nothing without a switch. events: as read_switches() returns it, where the
  // events were read back.
  std::optional<Switching> report(const std::optional<SwitchedEvents>& events) const;

 private:
  struct Place {
    std::uint64_t finished = 0;
    std::uint64_t refused = 0;
  };
  struct Begun {
    std::uint64_t begin_ns = 0;
    std::vector<Place> threads;
    Histogram service;
  };

  // Where each thread was, in the trial's memory, for read_switches().
  void mark(bool on, std::uint64_t end_ns, const std::vector<std::uint64_t>& started);
  std::vector<std::uint64_t> calls_begun() const;
  // Counts the calls up to each thread's next one.
  void count_calls(std::uint64_t end_ns, std::vector<std::uint64_t> started);
  // Until so many calls of each thread have returned.
  void wait_for_calls(const std::vector<std::uint64_t>& finished, std::uint64_t until_ns) const;

  const TrialMemory& memory_;
  Clock clock_;
  std::optional<Begun> begun_;
  std::vector<std::uint64_t> took_ns_;
  Histogram at_switch_;
};

// Returns the time of the call whose event was read back; nothing if it was not.
using DeliveredAt =
    std::function<std::optional<std::uint64_t>(unsigned thread, std::uint64_t sequence)>;

// What became of the events around the switches. Call it when the provider has ended and everything
// was read back.
SwitchRead read_switches(const TrialMemory& memory, const DeliveredAt& delivered_at);

}  // namespace tailgate
