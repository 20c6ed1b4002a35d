#include "harness/os/kernel_symbols_linux.h"

#include <catch2/catch.hpp>

namespace tailgate {
namespace {

TEST_CASE("the kernel's functions are named by the symbol before the address", "[kernel]") {
  const KernelSymbols symbols(
      "ffffffff81000200 T second\n"
      "ffffffff81000100 T first\n"
      "ffffffff81000100 t alias\n"
      "ffffffff81000180 D data\n"
      "ffffffffa0000000 t in_module\t[ext4]\n"
      "0000000000000000 T hidden\n"
      "nonsense\n"
      "ffffffff81000300 T");
  CHECK(symbols.find(0xffffffff81000100).name == "first");
  CHECK(symbols.find(0xffffffff810001ff).name == "first");
  CHECK(symbols.find(0xffffffff81000200).name == "second");
  CHECK(symbols.find(0xffffffff81000200).module == "kernel");
  CHECK(symbols.find(0xffffffffa0000010).name == "in_module");
  CHECK(symbols.find(0xffffffffa0000010).module == "ext4");
  CHECK(symbols.find(0x1000).name.empty());
  CHECK(KernelSymbols("0000000000000000 T a\n0000000000000000 T b\n").empty());
}

}  // namespace
}  // namespace tailgate
