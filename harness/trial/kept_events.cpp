#include "harness/trial/kept_events.h"

#include <algorithm>
#include <optional>

#include "harness/trial/thread_counts.h"

namespace tailgate {

KeptEvents kept_events_of(const TrialMemory& memory) {
  KeptEvents events;
  std::uint64_t last_end_ns = 0;
  std::optional<std::uint64_t> oldest_ns;
  for (unsigned i = 0; i < memory.plan().load.threads; ++i) {
    const ThreadBlock& block = memory.thread(i);
    const ThreadRead& read = memory.header().consumer.threads.at(i);
    const std::uint64_t finished = block.finished.load(std::memory_order_acquire);
    const std::uint64_t refused = refusals_of(block);
    events.accepted += at_least_zero(finished, refused);
    events.kept += read.delivered;
    events.gone_newest += at_least_zero(finished, read.next + refused);
    last_end_ns = std::max(last_end_ns, block.last_end_ns.load());
    if (read.oldest == 0) continue;
    events.gone_between += at_least_zero(read.next - (read.oldest - 1), read.delivered);
    oldest_ns = std::min(oldest_ns.value_or(read.oldest_ns), read.oldest_ns);
  }
  if (oldest_ns) events.history_ns = at_least_zero(last_end_ns, *oldest_ns);
  return events;
}

}  // namespace tailgate
