// Reads any bytes as a program's file: facts, or nothing.
#include <cstddef>
#include <cstdint>
#include <span>

#include "harness/calls/elf_facts.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tailgate::read_elf_facts(std::as_bytes(std::span(data, size)));
  return 0;
}
