// Names the functions of sampled stacks.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "harness/os/kernel_symbols_linux.h"
#include "harness/profile/perf_samples_linux.h"
#include "harness/profile/process_image_linux.h"
#include "harness/profile/samples.h"

namespace tailgate::profile {

class StackNames {
 public:
  // Adds the functions to this table, which lives longer.
  explicit StackNames(FunctionTable& table);

  // Whether the system tells the addresses of the kernel's functions.
  bool knows_kernel() const { return !kernel_.empty(); }

  // Adds the sample's functions to the stack. image: of its process; null: nothing is known of it.
  // Takes some 0.1 ms, most of it for callers that are found by unwind tables.
  void add(const PerfSample& sample, ProcessImage* image, StackSample& stack);

 private:
  std::uint32_t in_kernel(std::uint64_t address);
  std::uint32_t in_process(ProcessImage& image, std::uint64_t address, bool caller);
  void add_kernel_frames(const PerfSample& sample, StackSample& stack);
  void add_user_frames(const PerfSample& sample, ProcessImage& image, StackSample& stack);

  FunctionTable& table_;
  KernelSymbols kernel_;
  std::unordered_map<std::uint64_t, std::uint32_t> kernel_places_;
  std::unordered_map<const ProcessImage*, std::unordered_map<std::uint64_t, std::uint32_t>>
      user_places_;
};

}  // namespace tailgate::profile
