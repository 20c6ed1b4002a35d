#include "harness/os/affinity.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "harness/base/error.h"

namespace tailgate {
namespace {

constexpr int kMaxCpu = 1023;

std::optional<int> parse_cpu(std::string_view text) {
  int cpu = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cpu);
  if (error != std::errc() || end != text.data() + text.size() || cpu < 0 || cpu > kMaxCpu) {
    return std::nullopt;
  }
  return cpu;
}

}  // namespace

const std::vector<int>& initial_cpus() {
  static const std::vector<int> cpus = allowed_cpus();
  return cpus;
}

ScopedAffinity::~ScopedAffinity() {
  try {
    bind_this_thread(cpus_);
  } catch (const Error&) {
    // The processors were allowed when the scope began. If they no longer are, nothing can be
    // restored.
  }
}

std::vector<int> parse_cpu_list(std::string_view text) {
  std::vector<int> cpus;
  if (text.empty() || text == "any") return cpus;
  const std::string whole(text);
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view part = text.substr(0, comma);
    const std::size_t dash = part.find('-');
    const std::optional<int> first = parse_cpu(part.substr(0, dash));
    const std::optional<int> last =
        dash == std::string_view::npos ? first : parse_cpu(part.substr(dash + 1));
    if (!first || !last || *last < *first) {
      throw Error(fmt::format("processor list '{}' cannot be read at '{}'", whole, part),
                  "write numbers and ranges, such as 0,2-3, or any");
    }
    for (int cpu = *first; cpu <= *last; ++cpu) cpus.push_back(cpu);
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

std::string format_cpu_list(const std::vector<int>& cpus) {
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += last == i ? fmt::format("{}", cpus[i]) : fmt::format("{}-{}", cpus[i], cpus[last]);
    i = last + 1;
  }
  return text;
}

}  // namespace tailgate
