// How the samples of a profile spread over processes, and over the images and functions in them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/etl/profile.h"

namespace tailgate::etl {

class ProfileShares {
 public:
  explicit ProfileShares(const Profile& profile);

  struct Process {
    std::uint32_t id = 0;
    std::uint64_t samples = 0;
    std::span<const std::uint32_t> stacks;  // numbers of Profile::stacks()
  };
  // Most samples first.
  const std::vector<Process>& processes() const { return processes_; }
  std::span<const std::uint32_t> all_stacks() const { return stacks_; }

  struct Share {
    std::uint32_t module = Profile::kNoModule;
    std::uint32_t function = Profile::kNoFunction;  // of images: none
    std::uint64_t exclusive = 0;                    // samples in it
    std::uint64_t inclusive = 0;                    // samples with it in the stack
  };
  // Most exclusive samples first, then most inclusive ones. Addresses without a function count as
  // their image.
  std::vector<Share> images(std::span<const std::uint32_t> stacks) { return add_up(stacks, false); }
  std::vector<Share> functions(std::span<const std::uint32_t> stacks) {
    return add_up(stacks, true);
  }

 private:
  struct Sum {
    std::uint64_t exclusive = 0;
    std::uint64_t inclusive = 0;
    std::uint32_t last_stack = 0;  // that it was in, counted from 1 on
    bool is_used = false;
  };

  // Which of sums_ a frame belongs to: a function's, or a module's behind them.
  std::size_t sum_of(std::uint32_t frame, bool by_function) const;
  std::vector<Share> add_up(std::span<const std::uint32_t> stacks, bool by_function);

  const Profile& profile_;
  std::vector<std::uint32_t> stacks_;  // by process
  std::vector<Process> processes_;
  std::vector<Sum> sums_;  // zero between two calls
};

}  // namespace tailgate::etl
