#include "harness/trial/survival.h"

#include <algorithm>
#include <limits>

#include "harness/trial/thread_counts.h"

namespace tailgate {
namespace {

// Where a thread was at the kill.
struct Place {
  std::uint64_t finished = 0;
  std::uint64_t refused = 0;
  std::uint64_t last_end_ns = 0;
};

Place place_of(const TrialMemory& memory, unsigned thread) {
  const MarkBlock& mark = memory.header().mark;
  if (mark.set.load(std::memory_order_acquire) != 0) {
    const ThreadMark& marked = mark.threads.at(thread);
    return {marked.finished.load(), marked.refused.load(), marked.last_end_ns.load()};
  }
  const ThreadBlock& block = memory.thread(thread);
  return {block.finished.load(), refusals_of(block), block.last_end_ns.load()};
}

}  // namespace

void mark_threads(TrialMemory& memory) {
  MarkBlock& mark = memory.header().mark;
  if (mark.set.load() != 0) return;
  for (unsigned i = 0; i < memory.plan().load.threads; ++i) {
    const ThreadBlock& block = memory.thread(i);
    mark.threads.at(i).finished = block.finished.load(std::memory_order_acquire);
    mark.threads.at(i).refused = refusals_of(block);
    mark.threads.at(i).last_end_ns = block.last_end_ns.load();
  }
  mark.set.store(1, std::memory_order_release);
}

std::uint64_t end_of_survival(const TrialMemory& memory, unsigned thread) {
  const MarkBlock& mark = memory.header().mark;
  if (mark.set.load(std::memory_order_acquire) == 0) {
    return std::numeric_limits<std::uint64_t>::max();
  }
  return mark.threads.at(thread).finished.load(std::memory_order_relaxed);
}

Survival survival_of(const TrialMemory& memory) {
  Survival survival;
  std::uint64_t last_ns = 0;
  std::uint64_t youngest_ns = memory.header().go_ns.load();
  for (unsigned i = 0; i < memory.plan().load.threads; ++i) {
    const Place place = place_of(memory, i);
    const ThreadRead& read = memory.header().consumer.threads.at(i);
    const ThreadBlock& block = memory.thread(i);
    const std::uint64_t accepted = at_least_zero(place.finished, place.refused);
    const std::uint64_t gone = at_least_zero(accepted, read.delivered_before);
    survival.accepted += accepted;
    survival.gone += gone;
    survival.gone_last += std::min(gone, at_least_zero(place.finished, read.next_before));
    const std::uint64_t accepted_after =
        at_least_zero(block.finished.load() - place.finished, refusals_of(block) - place.refused);
    survival.accepted_after += accepted_after;
    survival.gone_after += at_least_zero(accepted_after, read.delivered - read.delivered_before);
    last_ns = std::max(last_ns, place.last_end_ns);
    youngest_ns = std::max(youngest_ns, read.youngest_ns);
  }
  if (survival.gone_last > 0) survival.gone_ns = at_least_zero(last_ns, youngest_ns);
  return survival;
}

std::uint64_t taken_by_kill(const Survival& survival) {
  return survival.gone_last + survival.gone_after;
}

}  // namespace tailgate
