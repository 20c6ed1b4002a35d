#include "harness/calls/elf_facts.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "harness/calls/elf_file.h"

namespace tailgate {
namespace {

// elf(5). Not every system has its header.
constexpr std::int64_t kPltRelocationBytes = 2;
constexpr std::int64_t kStrings = 5;
constexpr std::int64_t kSymbols = 6;
constexpr std::int64_t kRelocations = 7;
constexpr std::int64_t kRelocationBytes = 8;
constexpr std::int64_t kStringBytes = 10;
constexpr std::int64_t kPltRelocations = 23;
constexpr std::int64_t kBindNow = 24;
constexpr std::int64_t kFlags = 30;
constexpr std::int64_t kFlags1 = 0x6ffffffb;
constexpr std::uint64_t kFlagBindNow = 8;
constexpr std::uint64_t kFlag1Now = 1;
constexpr std::uint64_t kDynamicBytes = 16;
constexpr std::uint64_t kRelocationEntryBytes = 24;
constexpr std::uint64_t kMaxLibraryNameBytes = 1000;
constexpr std::uint64_t kMaxPathBytes = 4096;

class Reader {
 public:
  explicit Reader(const ElfFile& file) : file_(file) {}

  ElfFacts facts() {
    facts_.machine = file_.machine();
    for (const ElfPart& part : file_.parts()) read(part);
    read_relocations(plt_, plt_bytes_, facts_.by_table);
    read_relocations(relocations_, relocation_bytes_, facts_.directly);
    return std::move(facts_);
  }

 private:
  void read(const ElfPart& part) {
    if (part.type == ElfFile::kInterpreter) {
      facts_.dynamic = true;
      facts_.interpreter = file_.text(part.offset, std::min(part.bytes, kMaxPathBytes));
    }
    if (part.type != ElfFile::kDynamic) return;
    const std::uint64_t count = std::min(part.bytes / kDynamicBytes, ElfFile::kMaxEntries);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t at = part.offset + i * kDynamicBytes;
      const auto tag = file_.word<std::int64_t>(at);
      if (tag == 0) return;
      take(tag, file_.word<std::uint64_t>(at + 8));
    }
  }

  void take(std::int64_t tag, std::uint64_t value) {
    if (tag == kBindNow || (tag == kFlags && (value & kFlagBindNow) != 0) ||
        (tag == kFlags1 && (value & kFlag1Now) != 0)) {
      facts_.bind_now = true;
    }
    if (tag == kPltRelocations) plt_ = value;
    if (tag == kPltRelocationBytes) plt_bytes_ = value;
    if (tag == kRelocations) relocations_ = value;
    if (tag == kRelocationBytes) relocation_bytes_ = value;
    if (tag == kStrings) strings_ = value;
    if (tag == kStringBytes) string_bytes_ = value;
    if (tag == kSymbols) symbols_ = value;
  }

  void read_relocations(std::uint64_t address, std::uint64_t bytes,
                        std::set<std::string, std::less<>>& names) const {
    const std::optional<std::uint64_t> first = file_.offset_of(address);
    const std::uint64_t count = std::min(bytes / kRelocationEntryBytes, ElfFile::kMaxEntries);
    for (std::uint64_t i = 0; address != 0 && first && i < count; ++i) {
      const std::uint64_t at = *first + i * kRelocationEntryBytes;
      if (!file_.has(at, kRelocationEntryBytes)) return;
      const std::uint64_t symbol = file_.word<std::uint64_t>(at + 8) >> 32;
      if (symbol != 0) add_name(symbol, names);
    }
  }

  void add_name(std::uint64_t number, std::set<std::string, std::less<>>& names) const {
    const std::optional<std::uint64_t> symbols = file_.offset_of(symbols_);
    const std::optional<std::uint64_t> strings = file_.offset_of(strings_);
    if (!symbols || !strings) return;
    const auto name_at = file_.word<std::uint32_t>(*symbols + number * ElfFile::kSymbolBytes);
    if (name_at >= string_bytes_) return;
    const std::string_view name = file_.text(*strings + name_at, kMaxLibraryNameBytes);
    if (!name.empty()) names.emplace(name);
  }

  const ElfFile& file_;
  std::uint64_t plt_ = 0;
  std::uint64_t plt_bytes_ = 0;
  std::uint64_t relocations_ = 0;
  std::uint64_t relocation_bytes_ = 0;
  std::uint64_t strings_ = 0;
  std::uint64_t string_bytes_ = 0;
  std::uint64_t symbols_ = 0;
  ElfFacts facts_;
};

}  // namespace

std::optional<ElfFacts> read_elf_facts(std::span<const std::byte> file) {
  const std::optional<ElfFile> elf = ElfFile::open(file);
  if (!elf) return {};
  return Reader(*elf).facts();
}

}  // namespace tailgate
