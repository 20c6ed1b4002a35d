#include "harness/calls/elf_facts.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace tailgate {
namespace {

// elf(5). Not every system has its header.
constexpr std::string_view kIdentity(
    "\x7f"
    "ELF\x02\x01",
    6);
constexpr std::uint32_t kLoad = 1;
constexpr std::uint32_t kDynamic = 2;
constexpr std::uint32_t kInterpreter = 3;
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
constexpr std::uint64_t kMaxEntries = 1'000'000;

// Where a file's parts are, and the sizes of their entries.
constexpr std::uint64_t kProgramHeadersAt = 32;
constexpr std::uint64_t kProgramHeaderCountAt = 56;
constexpr std::uint64_t kProgramHeaderBytes = 56;
constexpr std::uint64_t kDynamicBytes = 16;
constexpr std::uint64_t kRelocationEntryBytes = 24;
constexpr std::uint64_t kSymbolBytes = 24;

struct Part {
  std::uint64_t offset = 0;  // in the file
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

class Elf {
 public:
  explicit Elf(std::span<const std::byte> file) : file_(file) {}

  std::optional<ElfFacts> facts() {
    if (file_.size() < kIdentity.size() ||
        std::memcmp(file_.data(), kIdentity.data(), kIdentity.size()) != 0) {
      return {};
    }
    const std::uint64_t headers = word<std::uint64_t>(kProgramHeadersAt);
    const std::uint64_t count = word<std::uint16_t>(kProgramHeaderCountAt);
    for (std::uint64_t i = 0; i < count; ++i) read_part(headers + i * kProgramHeaderBytes);
    read_dynamic();
    read_relocations(plt_, plt_bytes_, facts_.by_table);
    read_relocations(relocations_, relocation_bytes_, facts_.directly);
    return facts_;
  }

 private:
  bool has(std::uint64_t offset, std::uint64_t bytes) const {
    return offset <= file_.size() && file_.size() - offset >= bytes;
  }

  // 0 beyond the file's end.
  template <class Word>
  Word word(std::uint64_t offset) const {
    Word value = 0;
    if (has(offset, sizeof value)) std::memcpy(&value, file_.data() + offset, sizeof value);
    return value;
  }

  void read_part(std::uint64_t header) {
    const auto type = word<std::uint32_t>(header);
    const Part part{.offset = word<std::uint64_t>(header + 8),
                    .address = word<std::uint64_t>(header + 16),
                    .bytes = word<std::uint64_t>(header + 32)};
    if (type == kInterpreter) facts_.dynamic = true;
    if (type == kLoad) loaded_.push_back(part);
    if (type == kDynamic) dynamic_ = part;
  }

  // Where in the file the bytes of an address are; beyond its end if nowhere.
  std::uint64_t offset_of(std::uint64_t address) const {
    for (const Part& part : loaded_) {
      if (address >= part.address && address - part.address < part.bytes) {
        return part.offset + (address - part.address);
      }
    }
    return file_.size();
  }

  void read_dynamic() {
    const std::uint64_t count = std::min(dynamic_.bytes / kDynamicBytes, kMaxEntries);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t at = dynamic_.offset + i * kDynamicBytes;
      const auto tag = word<std::int64_t>(at);
      if (tag == 0) return;
      take(tag, word<std::uint64_t>(at + 8));
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
    const std::uint64_t first = offset_of(address);
    const std::uint64_t count = std::min(bytes / kRelocationEntryBytes, kMaxEntries);
    for (std::uint64_t i = 0; address != 0 && i < count; ++i) {
      const std::uint64_t at = first + i * kRelocationEntryBytes;
      if (!has(at, kRelocationEntryBytes)) return;
      const std::uint64_t symbol = word<std::uint64_t>(at + 8) >> 32;
      if (symbol != 0) add_name(symbol, names);
    }
  }

  void add_name(std::uint64_t number, std::set<std::string, std::less<>>& names) const {
    const auto name_at = word<std::uint32_t>(offset_of(symbols_) + number * kSymbolBytes);
    if (name_at >= string_bytes_) return;
    const std::uint64_t begin = offset_of(strings_) + name_at;
    if (begin >= file_.size()) return;
    constexpr std::size_t kMaxNameBytes = 1000;
    const std::string_view rest(reinterpret_cast<const char*>(file_.data() + begin),
                                std::min<std::size_t>(file_.size() - begin, kMaxNameBytes));
    const std::string_view name = rest.substr(0, rest.find('\0'));
    if (!name.empty()) names.emplace(name);
  }

  std::span<const std::byte> file_;
  std::vector<Part> loaded_;
  Part dynamic_;
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
  return Elf(file).facts();
}

}  // namespace tailgate
