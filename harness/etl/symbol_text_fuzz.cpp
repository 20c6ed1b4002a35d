// Breakpad's texts, perf maps and what llvm-pdbutil prints, and the functions of some addresses by
// them, as written in C++. Input: u8 which, the text.
#include <cstdint>
#include <string_view>

#include "harness/etl/demangle.h"
#include "harness/etl/symbol_text.h"

using namespace tailgate::etl;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  NearestSymbols nearest({0, 0x1000, 0x1010, 0x2000, 0xFFFF'FFFF'FFFF'FFFF});
  const auto add = [&nearest](const Symbol& symbol) { nearest.add(symbol); };
  switch (data[0] % 3) {
    case 0:
      breakpad_id(text);
      visit_breakpad(text, add);
      break;
    case 1:
      visit_perf_map(text, add);
      break;
    default:
      if (const auto summary = pdb_summary(text)) visit_pdb_publics(text, summary->sections, add);
      break;
  }
  for (std::string_view name : nearest.names()) {
    if (!name.empty() && (name.data() < text.data() || name.end() > text.end())) __builtin_trap();
    if (demangled(name).size() > kMaxDemangledBytes) __builtin_trap();
  }
  return 0;
}
