#include "harness/trial/slow_deliveries.h"

#include <algorithm>

namespace tailgate {
namespace {

bool took_longer(const DeliverySlot& a, const DeliverySlot& b) {
  return a.seen_ns - a.start_ns > b.seen_ns - b.start_ns;
}

}  // namespace

void SlowestDeliveries::offer(const DeliverySlot& delivery) {
  if (heap_.size() == most_) {
    if (most_ == 0 || !took_longer(delivery, heap_.front())) return;
    std::pop_heap(heap_.begin(), heap_.end(), took_longer);
    heap_.back() = delivery;
  } else {
    heap_.push_back(delivery);
  }
  std::push_heap(heap_.begin(), heap_.end(), took_longer);
}

void SlowestDeliveries::publish(const TrialMemory& memory) const {
  std::copy(heap_.begin(), heap_.end(), memory.deliveries());
  memory.header().consumer.delivery_count.store(static_cast<std::uint32_t>(heap_.size()),
                                                std::memory_order_release);
}

std::vector<activity::SlowDelivery> slowest_deliveries(const TrialMemory& memory) {
  const std::uint32_t count =
      std::min(memory.header().consumer.delivery_count.load(std::memory_order_acquire),
               memory.plan().slow_deliveries);
  std::vector<activity::SlowDelivery> all;
  for (std::uint32_t i = 0; i < count; ++i) {
    const DeliverySlot& one = memory.deliveries()[i];
    if (one.seen_ns < one.start_ns) continue;
    all.push_back({static_cast<unsigned>(one.thread), one.sequence, one.start_ns, one.seen_ns});
  }
  return all;
}

}  // namespace tailgate
