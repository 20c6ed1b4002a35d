#include "harness/etw/kernel_stacks.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/error.h"
#include "harness/base/options.h"
#include "harness/etw/kernel_flags.h"

namespace tailgate::etw {
namespace {

std::string_view short_name(const KernelStack& event) {
  const std::string_view whole = event.name;
  return whole.substr(whole.find('/') + 1);
}

const KernelStack& event_of(std::string_view name) {
  const KernelStack* found = nullptr;
  for (const KernelStack& event : kKernelStacks) {
    if (event.name == name) return event;
    if (short_name(event) != name) continue;
    if (found != nullptr) {
      throw Error(fmt::format("'{}' means both {} and {}", name, found->name, event.name),
                  "name one of them in whole");
    }
    found = &event;
  }
  if (found != nullptr) return *found;
  std::vector<std::string> known;
  for (const KernelStack& event : kKernelStacks) {
    known.emplace_back(event.name);
    known.emplace_back(short_name(event));
  }
  const std::string suggestion = nearest_name(name, known);
  throw Error(
      fmt::format("tailgate asks for no stacks of '{}'", name),
      fmt::format("{}see tailgate etl record --list-flags",
                  suggestion.empty() ? "" : fmt::format("did you mean '{}'? ", suggestion)));
}

}  // namespace

std::vector<KernelStack> kernel_stacks(const std::vector<std::string>& names, std::uint32_t flags) {
  std::vector<KernelStack> events;
  for (const std::string& name : names) {
    const KernelStack& event = event_of(name);
    const bool repeated = std::any_of(events.begin(), events.end(), [&](const KernelStack& chosen) {
      return std::string_view(chosen.name) == event.name;
    });
    if (repeated) {
      throw Error(fmt::format("stacks of '{}' are asked for twice", event.name),
                  "name each event once");
    }
    if ((kernel_flag_bits({event.flag}) & flags) == 0) {
      throw Error(fmt::format("the kernel does not record '{}' without the flag '{}'", event.name,
                              event.flag),
                  fmt::format("add {} to --flags", event.flag));
    }
    events.push_back(event);
  }
  return events;
}

}  // namespace tailgate::etw
