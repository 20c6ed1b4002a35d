#include "harness/etl/profile_shares.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <tuple>
#include <utility>

namespace tailgate::etl {

ProfileShares::ProfileShares(const Profile& profile)
    : profile_(profile), stacks_(profile.stacks().size()) {
  const StackTable& table = profile.stacks();
  std::iota(stacks_.begin(), stacks_.end(), 0u);
  std::stable_sort(stacks_.begin(), stacks_.end(), [&table](std::uint32_t a, std::uint32_t b) {
    return table.process(a) < table.process(b);
  });
  for (std::size_t from = 0; from < stacks_.size();) {
    Process process{table.process(stacks_[from]), 0, {}};
    std::size_t to = from;
    for (; to < stacks_.size() && table.process(stacks_[to]) == process.id; ++to) {
      process.samples += table.samples(stacks_[to]);
    }
    process.stacks = std::span(stacks_).subspan(from, to - from);
    processes_.push_back(process);
    from = to;
  }
  std::stable_sort(processes_.begin(), processes_.end(),
                   [](const Process& a, const Process& b) { return a.samples > b.samples; });
  // One for each function and module, and for the stacks without room.
  sums_.resize(profile.function_count() + profile.modules().size() + 1);
}

std::size_t ProfileShares::sum_of(std::uint32_t frame, bool by_function) const {
  if (by_function && profile_.function(frame) != Profile::kNoFunction) {
    return profile_.function(frame);
  }
  const std::uint32_t module = profile_.frame(frame).module;
  return module == Profile::kNoModule ? sums_.size() - 1 : profile_.function_count() + module;
}

std::vector<ProfileShares::Share> ProfileShares::add_up(std::span<const std::uint32_t> stacks,
                                                        bool by_function) {
  std::vector<std::size_t> used;
  std::uint32_t number = 0;
  for (std::uint32_t stack : stacks) {
    ++number;
    const std::uint64_t samples = profile_.stacks().samples(stack);
    bool innermost = true;
    for (std::uint32_t frame : profile_.stacks().frames(stack)) {
      const std::size_t index = sum_of(frame, by_function);
      Sum& sum = sums_[index];
      if (!sum.is_used) used.push_back(index);
      sum.is_used = true;
      if (innermost) sum.exclusive += samples;
      innermost = false;
      // What is in the stack twice counts once.
      if (std::exchange(sum.last_stack, number) != number) sum.inclusive += samples;
    }
  }
  std::vector<Share> shares;
  for (std::size_t index : used) {
    const Sum sum = std::exchange(sums_[index], {});
    Share& share = shares.emplace_back();
    share.exclusive = sum.exclusive;
    share.inclusive = sum.inclusive;
    if (index == sums_.size() - 1) continue;
    if (index < profile_.function_count()) {
      share.function = static_cast<std::uint32_t>(index);
      share.module = profile_.function_at(share.function).module;
    } else {
      share.module = static_cast<std::uint32_t>(index - profile_.function_count());
    }
  }
  const auto function_name = [this](const Share& share) {
    return share.function == Profile::kNoFunction
               ? std::string_view()
               : std::string_view(profile_.function_at(share.function).name);
  };
  std::sort(shares.begin(), shares.end(), [&](const Share& a, const Share& b) {
    if (a.exclusive != b.exclusive) return a.exclusive > b.exclusive;
    if (a.inclusive != b.inclusive) return a.inclusive > b.inclusive;
    return std::tuple(profile_.module_name(a.module), function_name(a)) <
           std::tuple(profile_.module_name(b.module), function_name(b));
  });
  return shares;
}

}  // namespace tailgate::etl
