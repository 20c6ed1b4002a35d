#include "harness/calls/elf_symbols.h"

#include <algorithm>
#include <optional>

#include "harness/calls/elf_file.h"

namespace tailgate {
namespace {

constexpr std::uint32_t kSymbolTable = 2;
constexpr std::uint32_t kDynamicSymbolTable = 11;
constexpr unsigned kUntyped = 0;
constexpr unsigned kFunction = 2;
constexpr unsigned kSection = 3;
constexpr unsigned kFileName = 4;
constexpr unsigned kIndirectFunction = 10;
constexpr std::uint16_t kUndefined = 0;
constexpr std::uint64_t kMaxSymbolNameBytes = 4096;
constexpr std::uint64_t kMaxSymbols = 50'000'000;
constexpr std::string_view kDigits = "0123456789";

// Whether a symbol's name is `name` with what a compiler appends to a whole function's.
bool is_name_of(std::string_view symbol, std::string_view name) {
  if (!symbol.starts_with(name)) return false;
  symbol.remove_prefix(name.size());
  while (!symbol.empty()) {
    std::size_t taken = 0;
    for (const std::string_view suffix : {".constprop.", ".isra.", ".lto_priv.", ".llvm."}) {
      if (symbol.starts_with(suffix)) taken = suffix.size();
    }
    const std::size_t end = std::min(symbol.find_first_not_of(kDigits, taken), symbol.size());
    if (taken == 0 || end == taken) return false;
    symbol.remove_prefix(end);
  }
  return true;
}

class Finder {
 public:
  Finder(const ElfFile& file, std::string_view name) : file_(file), name_(name) {}

  FoundFunction find() {
    const std::vector<ElfSection> sections = file_.sections();
    // The one for debuggers has all functions; a stripped file has the other alone.
    for (const std::uint32_t type : {kSymbolTable, kDynamicSymbolTable}) {
      const auto table = std::find_if(
          sections.begin(), sections.end(),
          [type](const ElfSection& section) { return section.type == type; });  // the only one
      if (table == sections.end() || table->link >= sections.size()) continue;
      found_.has_all_names |= type == kSymbolTable;
      read(*table, sections[table->link], type == kDynamicSymbolTable);
    }
    return std::move(found_);
  }

 private:
  void read(const ElfSection& symbols, const ElfSection& names, bool exported) {
    const std::uint64_t count = std::min(symbols.bytes / ElfFile::kSymbolBytes, kMaxSymbols);
    for (std::uint64_t i = 1; i < count; ++i) {
      const std::uint64_t at = symbols.offset + i * ElfFile::kSymbolBytes;
      if (!file_.has(at, ElfFile::kSymbolBytes)) return;
      const auto name_at = file_.word<std::uint32_t>(at);
      if (name_at == 0 || name_at >= names.bytes) continue;
      const std::string_view name =
          file_.text(names.offset + name_at, std::min(names.bytes - name_at, kMaxSymbolNameBytes));
      if (is_name_of(name, name_)) take(at, exported);
    }
  }

  void take(std::uint64_t at, bool exported) {
    const unsigned type = file_.word<std::uint8_t>(at + 4) & 0xfu;
    if (file_.word<std::uint16_t>(at + 6) == kUndefined) return;
    if (type == kSection || type == kFileName) return;
    if (type == kIndirectFunction) {
      found_.is_chosen_at_start = true;
      return;
    }
    // Functions in assembly language may have neither a type nor a size.
    const std::optional<std::uint64_t> offset =
        file_.offset_of(file_.word<std::uint64_t>(at + 8), true);
    if ((type != kFunction && type != kUntyped) || !offset) {
      found_.is_no_function = true;
      return;
    }
    found_.offsets.insert(*offset);
    found_.is_exported |= exported;
  }

  const ElfFile& file_;
  const std::string_view name_;
  FoundFunction found_;
};

}  // namespace

FoundFunction find_function(std::span<const std::byte> file, std::string_view name) {
  const std::optional<ElfFile> elf = ElfFile::open(file);
  return elf ? Finder(*elf, name).find() : FoundFunction();
}

}  // namespace tailgate
