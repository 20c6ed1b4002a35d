// The last events of each thread, which the synthetic sink keeps in the program's memory: a kill
// takes them along.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace tailgate {

class KeptBack {
 public:
  KeptBack(std::size_t events, std::size_t max_event_bytes)
      : slot_bytes_(max_event_bytes), sizes_(events), slots_(events * max_event_bytes) {}

  // Keeps an event of at most max_event_bytes. If there is no room, hands the oldest to `store`
  // first, which returns whether it took it; returns false if it did not.
  template <class Store>
  bool keep(std::span<const std::byte> event, const Store& store) {
    if (sizes_.empty()) return store(event);
    if (count_ == sizes_.size() && !release_oldest(store)) return false;
    const std::size_t slot = (first_ + count_++) % sizes_.size();
    sizes_[slot] = event.size();
    std::memcpy(&slots_[slot * slot_bytes_], event.data(), event.size());
    return true;
  }

  // Hands over everything that is kept, the oldest first.
  template <class Store>
  void release(const Store& store) {
    while (count_ > 0) release_oldest(store);
  }

 private:
  template <class Store>
  bool release_oldest(const Store& store) {
    const std::size_t slot = first_;
    first_ = (first_ + 1) % sizes_.size();
    --count_;
    return store({&slots_[slot * slot_bytes_], sizes_[slot]});
  }

  std::size_t slot_bytes_;
  std::vector<std::size_t> sizes_;  // of the slots
  std::vector<std::byte> slots_;
  std::size_t first_ = 0;
  std::size_t count_ = 0;
};

}  // namespace tailgate
