// The names of the kernel's functions, from /proc/kallsyms (proc(5)).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tailgate {

struct KernelSymbol {
  std::string_view name;    // empty: none is known
  std::string_view module;  // "kernel", or a kernel module
};

class KernelSymbols {
 public:
  // text: lines of an address, a kind, a name and perhaps a module. Accepts any text.
  explicit KernelSymbols(std::string text);

  // Of the kernel that runs: /proc/kallsyms.
  static KernelSymbols of_this_kernel();

  // Whether the list has addresses: users without rights are shown zeros.
  bool empty() const { return symbols_.empty(); }

  // The function that the address is in. Valid as long as this object.
  KernelSymbol find(std::uint64_t address) const;

 private:
  struct Symbol {
    std::uint64_t address;
    KernelSymbol symbol;
  };

  void add_line(std::string_view line);

  std::string text_;
  std::vector<Symbol> symbols_;  // by address
};

}  // namespace tailgate
