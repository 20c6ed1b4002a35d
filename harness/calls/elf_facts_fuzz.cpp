// Reads any bytes as a program's file: facts and places of a function within the file, or nothing.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "harness/calls/elf_facts.h"
#include "harness/calls/elf_symbols.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = std::as_bytes(std::span(data, size));
  const bool is_elf = tailgate::read_elf_facts(file).has_value();
  const tailgate::FoundFunction found = tailgate::find_function(file, "f");
  if (!is_elf && (found.has_all_names || !found.offsets.empty())) std::abort();
  return 0;
}
