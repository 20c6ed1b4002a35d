// Drains a side at the end of its turn: waits until its work is done, before the other side's turn.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace tailgate {

struct DrainOutcome {
  std::uint64_t waited_ns = 0;
  bool cut_short = false;  // the time limit was reached
};

// Waits until delivered() returns true (the consumer has seen all events), or until the given
// processes were idle at two consecutive polls 2 ms apart (no thread is runnable, and less than a
// tenth of a processor was used since the previous poll), or for 250 ms. A process that has ended
// counts as idle.
DrainOutcome drain(const std::vector<int>& pids, const std::function<bool()>& delivered);

}  // namespace tailgate
