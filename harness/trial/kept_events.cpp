#include "harness/trial/kept_events.h"

#include <algorithm>
#include <optional>

namespace tailgate {
namespace {

std::uint64_t past(std::uint64_t place, std::uint64_t other) {
  return place > other ? place - other : 0;
}

std::uint64_t refusals_of(const ThreadBlock& block) {
  std::uint64_t refused = 0;
  for (const auto& count : block.refused) refused += count.load(std::memory_order_relaxed);
  return refused;
}

}  // namespace

KeptEvents kept_events_of(const TrialMemory& memory) {
  KeptEvents events;
  std::uint64_t last_end_ns = 0;
  std::optional<std::uint64_t> oldest_ns;
  for (unsigned i = 0; i < memory.plan().load.threads; ++i) {
    const ThreadBlock& block = memory.thread(i);
    const ThreadRead& read = memory.header().consumer.threads.at(i);
    const std::uint64_t finished = block.finished.load(std::memory_order_acquire);
    const std::uint64_t refused = refusals_of(block);
    events.accepted += past(finished, refused);
    events.kept += read.delivered;
    events.gone_newest += past(finished, read.next + refused);
    last_end_ns = std::max(last_end_ns, block.last_end_ns.load());
    if (read.oldest == 0) continue;
    events.gone_between += past(read.next - (read.oldest - 1), read.delivered);
    oldest_ns = std::min(oldest_ns.value_or(read.oldest_ns), read.oldest_ns);
  }
  if (oldest_ns) events.history_ns = past(last_end_ns, *oldest_ns);
  return events;
}

}  // namespace tailgate
