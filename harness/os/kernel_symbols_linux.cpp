#include "harness/os/kernel_symbols_linux.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <utility>

namespace tailgate {
namespace {

// Takes the next word, up to a blank.
std::string_view next_word(std::string_view& line) {
  const std::size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
  const std::size_t end = std::min(line.find_first_of(" \t", begin), line.size());
  const std::string_view word = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return word;
}

}  // namespace

KernelSymbols::KernelSymbols(std::string text) : text_(std::move(text)) {
  std::string_view left = text_;
  while (!left.empty()) {
    const std::size_t end = std::min(left.find('\n'), left.size());
    add_line(left.substr(0, end));
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  // Of several names of one address the first counts.
  std::stable_sort(symbols_.begin(), symbols_.end(),
                   [](const Symbol& a, const Symbol& b) { return a.address < b.address; });
  const auto same = [](const Symbol& a, const Symbol& b) { return a.address == b.address; };
  symbols_.erase(std::unique(symbols_.begin(), symbols_.end(), same), symbols_.end());
}

KernelSymbols KernelSymbols::of_this_kernel() {
  std::ifstream file("/proc/kallsyms");
  return KernelSymbols({std::istreambuf_iterator<char>(file), {}});
}

void KernelSymbols::add_line(std::string_view line) {
  const std::string_view digits = next_word(line);
  const std::string_view kind = next_word(line);
  const std::string_view name = next_word(line);
  std::string_view module = next_word(line);
  if (kind.size() != 1 || std::string_view("tTwW").find(kind[0]) == std::string_view::npos) return;
  std::uint64_t address = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stopped, error] = std::from_chars(digits.data(), end, address, 16);
  if (error != std::errc() || stopped != end || address == 0 || name.empty()) return;
  if (module.starts_with('[') && module.ends_with(']')) {
    module = module.substr(1, module.size() - 2);
  } else {
    module = "kernel";
  }
  symbols_.push_back({address, {name, module}});
}

KernelSymbol KernelSymbols::find(std::uint64_t address) const {
  const auto after = std::upper_bound(
      symbols_.begin(), symbols_.end(), address,
      [](std::uint64_t wanted, const Symbol& symbol) { return wanted < symbol.address; });
  if (after == symbols_.begin()) return {"", "kernel"};
  return std::prev(after)->symbol;
}

}  // namespace tailgate
