#include "harness/profile/stack_names_linux.h"

namespace tailgate::profile {

StackNames::StackNames(FunctionTable& table)
    : table_(table), kernel_(KernelSymbols::of_this_kernel()) {}

void StackNames::add(const PerfSample& sample, ProcessImage* image, StackSample& stack) {
  add_kernel_frames(sample, stack);
  stack.cut = true;
  if (image != nullptr) add_user_frames(sample, *image, stack);
}

std::uint32_t StackNames::in_kernel(std::uint64_t address) {
  const auto [place, is_new] = kernel_places_.try_emplace(address, 0);
  if (is_new) {
    const KernelSymbol symbol = kernel_.find(address);
    const std::string name = symbol.name.empty() ? "[kernel]" : std::string(symbol.name);
    place->second = table_.place_of(name, std::string(symbol.module));
  }
  return place->second;
}

std::uint32_t StackNames::in_process(ProcessImage& image, std::uint64_t address, bool caller) {
  const auto [place, is_new] = user_places_[&image].try_emplace(2 * address + (caller ? 1 : 0));
  if (is_new) {
    const UserFunction function = image.function_at(address, caller);
    place->second = table_.place_of(function.name, function.module);
  }
  return place->second;
}

void StackNames::add_kernel_frames(const PerfSample& sample, StackSample& stack) {
  if (!sample.in_kernel) return;
  if (sample.kernel_chain.empty()) stack.functions.push_back(in_kernel(sample.address));
  for (std::size_t i = 0; i < sample.kernel_chain.size(); ++i) {
    // All but the first are return addresses, behind the call.
    stack.functions.push_back(in_kernel(sample.kernel_chain[i] - (i == 0 ? 0 : 1)));
  }
}

void StackNames::add_user_frames(const PerfSample& sample, ProcessImage& image,
                                 StackSample& stack) {
  UserStack user;
  if (sample.has_registers && !sample.stack.empty()) {
    user = image.unwind(sample);
  } else if (!sample.user_chain.empty()) {
    user.addresses.assign(sample.user_chain.begin(), sample.user_chain.end());
  }
  if (user.addresses.empty() && !sample.in_kernel) user.addresses = {sample.address};
  stack.cut = !user.complete;
  for (std::size_t i = 0; i < user.addresses.size(); ++i) {
    stack.functions.push_back(in_process(image, user.addresses[i], i > 0));
  }
}

}  // namespace tailgate::profile
