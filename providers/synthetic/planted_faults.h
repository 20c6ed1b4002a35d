// The faults that the synthetic sink plants on the way out: its consumer sees events twice, out of
// order or changed.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "providers/sink.h"

namespace tailgate {

// Each counts the intact events of one thread as they come out of the store, from 1, and strikes
// when the count is a multiple; 0: never. One event suffers one fault, the first of this order.
struct FaultPlan {
  std::uint64_t corrupt_every = 0;    // the last byte is changed: of the body, or of the checksum
  std::uint64_t duplicate_every = 0;  // comes twice in a row
  std::uint64_t reorder_every = 0;    // comes after the thread's next event instead of before it
};

FaultPlan fault_plan(const Options& options);

// Passes events on to another visitor with the faults planted.
class FaultPlanter {
 public:
  FaultPlanter(const FaultPlan& plan, EventEncoding encoding);

  void event(std::span<const std::byte> bytes, EventVisitor& to);
  // Hands over events that were held back for reordering and had no successor.
  void release_held(EventVisitor& to);

 private:
  struct ThreadState {
    std::uint64_t events = 0;
    std::vector<std::byte> held;
  };

  FaultPlan plan_;
  EventEncoding encoding_;
  std::map<std::uint16_t, ThreadState> threads_;
  std::vector<std::byte> scratch_;
};

}  // namespace tailgate
