#include "harness/profile/live_blocks.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace tailgate::profile {
namespace {

class Blocks {
 public:
  void take(const AllocatorCall& call) {
    std::vector<AllocatorCall>& calls = calls_[call.thread];
    if (call.ends) {
      end(call, calls);
    } else if (call.function == AllocatorFunction::free) {
      if (calls.empty()) live_.erase({call.process, call.address});
    } else {
      calls.push_back(call);
    }
  }

  std::vector<LiveBlock> left() const {
    std::vector<std::pair<std::size_t, LiveBlock>> blocks;
    for (const auto& [address, block] : live_) blocks.push_back(block);
    std::sort(blocks.begin(), blocks.end(),
              [](const auto& x, const auto& y) { return x.first < y.first; });
    std::vector<LiveBlock> result;
    for (const auto& [order, block] : blocks) result.push_back(block);
    return result;
  }

 private:
  void end(const AllocatorCall& ended, std::vector<AllocatorCall>& calls) {
    const auto of_function = [&ended](const AllocatorCall& call) {
      return call.function == ended.function;
    };
    const auto found = std::find_if(calls.rbegin(), calls.rend(), of_function);
    if (found == calls.rend()) return;
    const AllocatorCall begun = *found;
    calls.erase(std::prev(found.base()), calls.end());
    if (!calls.empty()) return;                                 // it is within another one
    const bool frees = ended.address != 0 || begun.bytes == 0;  // else there was no memory
    if (begun.address != 0 && frees) live_.erase({begun.process, begun.address});
    if (ended.address == 0) return;
    live_[{begun.process, ended.address}] = {order_++, {begun.bytes, begun.sample}};
  }

  std::unordered_map<std::uint32_t, std::vector<AllocatorCall>> calls_;  // by thread: not yet ended
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::pair<std::size_t, LiveBlock>> live_;
  std::size_t order_ = 0;
};

}  // namespace

std::vector<LiveBlock> live_blocks(std::vector<AllocatorCall> calls) {
  std::stable_sort(calls.begin(), calls.end(), [](const AllocatorCall& x, const AllocatorCall& y) {
    return x.time_ns < y.time_ns;
  });
  Blocks blocks;
  for (const AllocatorCall& call : calls) blocks.take(call);
  return blocks.left();
}

}  // namespace tailgate::profile
