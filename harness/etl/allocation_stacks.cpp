#include "harness/etl/allocation_stacks.h"

#include <algorithm>
#include <utility>

namespace tailgate::etl {
namespace {

constexpr std::size_t kMaxMemoryStacks = 65'536;
constexpr std::size_t kMaxMemoryFrames = 1u << 20;

}  // namespace

AllocationStacks::AllocationStacks(const StackKeys& keys, std::size_t max_living,
                                   std::function<void(Owners&)> living)
    : joiner_(keys, [this](StackedEvent&& event) { keep(std::move(event)); }),
      max_owners_(2 * max_living),
      living_(std::move(living)),
      keys_over_limit_(keys.over_limit()) {}

std::uint32_t AllocationStacks::begin(const Record& record, const RecordHeader& header,
                                      std::int64_t time_ns, std::uint32_t process) {
  ++owners_;
  StackedEvent event{record.time, time_ns, process, header.thread_id, owners_, 0, {}};
  joiner_.add(std::move(event), header);
  return owners_;
}

void AllocationStacks::keep(StackedEvent&& event) {
  if (event.frames.empty()) return;
  auto at = numbers_.find(event.frames);
  if (at == numbers_.end()) {
    if (stacks_.size() >= kMaxMemoryStacks || event.frames.size() > kMaxMemoryFrames - frames_) {
      ++stacks_over_limit_;
      return;
    }
    frames_ += event.frames.size();
    at = numbers_.emplace(std::move(event.frames), stacks_.size()).first;
    stacks_.push_back(&at->first);
  }
  if (stack_of_.size() >= max_owners_) {
    // Only what is not freed needs its stack: at most half of those that are kept.
    Owners owners;
    living_(owners);
    std::erase_if(stack_of_,
                  [&owners](const auto& entry) { return !owners.contains(entry.first); });
  }
  stack_of_[static_cast<std::uint32_t>(event.tag)] = at->second;
}

void AllocationStacks::Leaks::add(std::uint32_t process,
                                  const std::map<std::uint32_t, std::uint64_t>& bytes_by_owner) {
  constexpr std::size_t kNoStack = ~std::size_t{0};
  for (const auto& [owner, bytes] : bytes_by_owner) {
    const auto stack = stacks_.stack_of_.find(owner);
    const std::size_t number = stack == stacks_.stack_of_.end() ? kNoStack : stack->second;
    const auto [at, is_new] = numbers_.try_emplace({process, number}, leaks_.size());
    if (is_new) {
      leaks_.push_back({process, {}, 0});
      if (number != kNoStack) leaks_.back().frames = *stacks_.stacks_[number];
    }
    leaks_[at->second].bytes += bytes;
  }
}

std::vector<Leak> AllocationStacks::Leaks::sorted() const {
  std::vector<Leak> leaks = leaks_;
  std::stable_sort(leaks.begin(), leaks.end(),
                   [](const Leak& a, const Leak& b) { return a.bytes > b.bytes; });
  return leaks;
}

}  // namespace tailgate::etl
