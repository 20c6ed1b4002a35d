// The barrier at the end of a slice: what one side has begun it finishes before the other's turn.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace tailgate {

struct DrainOutcome {
  std::uint64_t waited_ns = 0;
  bool cut_short = false;  // the time was up
};

// Waits until delivered() says that the consumer has seen all events, or until the given processes
// have been idle for two looks in a row, 2 ms apart (less than a tenth of a processor used in
// between, and no thread that runs or could), or for 250 ms. A process that is gone is idle.
DrainOutcome drain(const std::vector<int>& pids, const std::function<bool()>& delivered);

}  // namespace tailgate
