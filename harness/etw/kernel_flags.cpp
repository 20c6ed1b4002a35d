#include "harness/etw/kernel_flags.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/base/error.h"
#include "harness/base/options.h"

namespace tailgate::etw {

std::uint32_t kernel_flag_bits(const std::vector<std::string>& names) {
  std::uint32_t bits = 0;
  for (const std::string& name : names) {
    const auto flag = std::find_if(kKernelFlags.begin(), kKernelFlags.end(),
                                   [&](const KernelFlag& known) { return known.name == name; });
    if (flag == kKernelFlags.end()) {
      std::vector<std::string> known;
      for (const KernelFlag& each : kKernelFlags) known.emplace_back(each.name);
      throw Error(fmt::format("the kernel has no flag '{}'", name), choice_remedy(name, known));
    }
    if ((bits & flag->bit) != 0) {
      throw Error(fmt::format("flag '{}' is given twice", name), "name each flag once");
    }
    bits |= flag->bit;
  }
  if (bits == 0) throw Error("no flag is given", "name what the kernel is to record");
  return bits;
}

std::string kernel_flag_names(std::uint32_t bits) {
  std::vector<std::string_view> names;
  for (const KernelFlag& flag : kKernelFlags) {
    if ((bits & flag.bit) != 0) names.emplace_back(flag.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace tailgate::etw
