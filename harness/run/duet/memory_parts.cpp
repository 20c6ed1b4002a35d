#include "harness/run/duet/memory_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/run/duet/system_modules.h"

namespace tailgate {
namespace {

using activity::PartName;
using activity::SideAmounts;
using profile::StackSample;

// The first function from `at` outwards that is the program's or a library's own: allocators and
// containers take memory for others.
std::vector<std::uint32_t>::const_iterator next_own(
    const std::vector<ProfiledFunction>& functions, std::vector<std::uint32_t>::const_iterator at,
    std::vector<std::uint32_t>::const_iterator end) {
  return std::find_if(at, end, [&functions](std::uint32_t place) {
    const ProfiledFunction& function = functions[place];
    return function.module != "kernel" && !is_of_system(function.module) &&
           !is_of_container(function.name);
  });
}

class Sites {
 public:
  explicit Sites(const profile::Samples& samples) : functions_(samples.functions.functions()) {
    for (const StackSample& sample : samples.list) add(sample);
  }

  double bytes() const { return bytes_; }

  void report(SideAmounts& memory) const {
    for (const auto& [site, bytes] : sites_) {
      memory.parts[site] += bytes;
      const auto callers = callers_.find(site);
      if (callers == callers_.end()) continue;
      for (const auto& [caller, of_caller] : callers->second) {
        memory.callers[site][caller] = of_caller / bytes;
      }
    }
  }

 private:
  void add(const StackSample& sample) {
    const auto bytes = static_cast<double>(sample.bytes);
    bytes_ += bytes;
    const auto end = sample.functions.end();
    const auto site = next_own(functions_, sample.functions.begin(), end);
    if (site == end) {
      sites_[{"memory", "system libraries"}] += bytes;
      return;
    }
    const PartName name{"memory", functions_[*site].name, functions_[*site].module};
    sites_[name] += bytes;
    const auto caller = next_own(functions_, site + 1, end);
    if (caller != end) callers_[name][functions_[*caller].name] += bytes;
  }

  const std::vector<ProfiledFunction>& functions_;
  double bytes_ = 0;
  std::map<PartName, double> sites_;
  std::map<PartName, std::map<std::string, double>> callers_;
};

// "1", "512", then with the unit's name: "64 KiB" is "64", " KiB".
std::pair<std::uint64_t, const char*> in_binary_unit(std::uint64_t bytes) {
  constexpr std::pair<std::uint64_t, const char*> kUnits[] = {
      {std::uint64_t{1} << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}};
  for (const auto& [unit, name] : kUnits) {
    if (bytes >= unit) return {bytes / unit, name};
  }
  return {bytes, "bytes"};
}

}  // namespace

std::optional<SideAmounts> memory_parts(std::optional<std::uint64_t> rss_bytes,
                                        const ProviderMemory& provider,
                                        const profile::Samples& samples) {
  if (!rss_bytes || !provider.before || !provider.after) return {};
  const auto after = static_cast<double>(*provider.after);
  SideAmounts memory{.whole = static_cast<double>(*rss_bytes)};
  const Sites sites(samples);
  sites.report(memory);
  // Pages that it had before may have left memory, and come back.
  const double before = std::min(static_cast<double>(*provider.before), after - sites.bytes());
  if (before > 0) memory.parts[{"memory", "before the trace"}] = before;
  const double daemons = memory.whole - after;
  if (daemons > 0) memory.parts[{"memory", "daemons"}] = daemons;
  return memory;
}

SideAmounts allocation_parts(const profile::Samples& samples) {
  const std::vector<ProfiledFunction>& functions = samples.functions.functions();
  SideAmounts allocated;
  for (const StackSample& block : samples.list) {
    const auto bytes = static_cast<double>(block.bytes);
    const PartName part{"allocated", size_class(block.bytes)};
    allocated.whole += bytes;
    allocated.parts[part] += bytes;
    const auto site = next_own(functions, block.functions.begin(), block.functions.end());
    if (site != block.functions.end()) allocated.callers[part][functions[*site].name] += bytes;
  }
  for (auto& [part, callers] : allocated.callers) {
    for (auto& [caller, share] : callers) share /= allocated.parts[part];
  }
  return allocated;
}

std::string size_class(std::uint64_t bytes) {
  constexpr std::uint64_t kSmallest = 16;
  constexpr std::uint64_t kLargest = std::uint64_t{1} << 40;
  if (bytes <= kSmallest) return fmt::format("blocks of up to {} bytes", kSmallest);
  if (bytes > kLargest) return "blocks of more than 1024 GiB";
  const std::uint64_t last = std::bit_ceil(bytes);
  const auto [from, from_unit] = in_binary_unit(last / 2);
  const auto [to, unit] = in_binary_unit(last);
  if (unit == std::string_view("bytes")) {
    return fmt::format("blocks of {} to {} bytes", last / 2 + 1, last);
  }
  if (from_unit == unit) return fmt::format("blocks of {} to {} {}", from, to, unit);
  return fmt::format("blocks of {} {} to {} {}", from, from_unit, to, unit);
}

}  // namespace tailgate
