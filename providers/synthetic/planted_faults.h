// The faults that the synthetic sink plants when it reads back: its consumer sees events twice, out
// of order or changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "harness/sink/sink.h"

namespace tailgate {

// Each field selects events: of one thread's intact events, numbered from 1 as they are read, every
// one whose number the field divides. 0: none. An event suffers one fault at most, the first in
// this order.
struct FaultPlan {
  std::uint64_t corrupt_every = 0;    // the last byte, of the body or of the checksum, is changed
  std::uint64_t duplicate_every = 0;  // is handed over twice in a row
  std::uint64_t reorder_every = 0;    // is handed over after the thread's next event
  // Of all events that suffer none of these:
  std::uint64_t cut_over_bytes = 0;   // longer ones end there; 0: none is too long
  bool replace_invalid_utf8 = false;  // each byte of a body that is not UTF-8 becomes U+FFFD
};

FaultPlan fault_plan(const Options& options);

// Whether the field `every` selects the event, or call, with this number.
bool strikes(std::uint64_t number, std::uint64_t every);

// Plants the faults into events and passes these on to another visitor.
class FaultPlanter {
 public:
  FaultPlanter(const FaultPlan& plan, EventEncoding encoding);

  void event(std::span<const std::byte> bytes, EventVisitor& to);
  // Hands over the events that were held back for reordering and had no successor.
  void release_held(EventVisitor& to);

 private:
  void damage_bytes(std::span<const std::byte> bytes, EventVisitor& to);

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
