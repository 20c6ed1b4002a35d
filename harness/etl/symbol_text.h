// Functions by address from texts: Breakpad's symbol files, perf maps, what llvm-pdbutil prints.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tailgate::etl {

struct Symbol {
  std::uint64_t start = 0;       // offset in the image; of a perf map: the address
  std::uint64_t size_bytes = 0;  // 0: up to the next symbol
  std::string_view name;
};
using VisitSymbol = std::function<void(const Symbol&)>;

// Breakpad's text. Source: docs/symbol_files.md of Breakpad: "MODULE os architecture id name",
// "FUNC [m] address size parameter_size name", "PUBLIC [m] address parameter_size name".
// The id of its MODULE line, which is the first; nothing when the text has none.
std::optional<std::string_view> breakpad_id(std::string_view text);
void visit_breakpad(std::string_view text, const VisitSymbol& visit);

// A map that a runtime writes for the code that it compiled. Source: Linux, tools/perf/
// Documentation/jit-interface.txt: "START SIZE symbolname", both in hex.
void visit_perf_map(std::string_view text, const VisitSymbol& visit);

// What `llvm-pdbutil dump --summary --section-headers --publics` prints.
struct PdbSummary {
  std::string guid;  // as to_text() writes it
  std::uint32_t age = 0;
  std::vector<std::uint64_t> sections;  // offsets in the image
  // The linker moved functions after the symbols were written (OMAP): their addresses are others.
  bool rearranged = false;
};
// Nothing when the text has no GUID or age.
std::optional<PdbSummary> pdb_summary(std::string_view text);
// The public symbols that are functions.
void visit_pdb_publics(std::string_view text, const std::vector<std::uint64_t>& sections,
                       const VisitSymbol& visit);

// Finds the symbols of some addresses among all symbols of an image, which come in any order. It
// keeps one symbol for each address, so that symbols may be any number; their names must stay
// valid.
class NearestSymbols {
 public:
  // addresses: sorted, each once.
  explicit NearestSymbols(std::vector<std::uint64_t> addresses);

  void add(const Symbol& symbol);

  const std::vector<std::uint64_t>& addresses() const { return addresses_; }
  // The function that each address is in: the last symbol that begins at or before it, if it is as
  // long. Empty: none.
  std::vector<std::string_view> names() const;

 private:
  struct Nearest {
    std::uint64_t start = 0;
    std::uint64_t size_bytes = 0;
    std::string_view name;  // empty: none
  };

  std::vector<std::uint64_t> addresses_;
  std::vector<Nearest> nearest_;  // the last symbol between the address before and this one
};

}  // namespace tailgate::etl
