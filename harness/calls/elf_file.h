// Reads an ELF file (64 bits, little-endian; elf(5)) whose bytes may be damaged: nothing that it
// says leads beyond its end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tailgate {

// A part of the file that is loaded, or that the loader reads.
struct ElfPart {
  std::uint32_t type = 0;
  bool executable = false;
  std::uint64_t offset = 0;  // in the file
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

struct ElfSection {
  std::uint32_t type = 0;
  std::uint32_t link = 0;  // the number of the section that it refers to
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

class ElfFile {
 public:
  static constexpr std::uint32_t kLoad = 1;
  static constexpr std::uint32_t kDynamic = 2;
  static constexpr std::uint32_t kInterpreter = 3;
  static constexpr std::uint64_t kSymbolBytes = 24;
  static constexpr std::uint64_t kMaxEntries = 1'000'000;  // read of any table

  // Returns nothing for what is no such file. The bytes must outlive the object.
  static std::optional<ElfFile> open(std::span<const std::byte> bytes);

  const std::vector<ElfPart>& parts() const { return parts_; }
  // Empty for a file without a table of sections, which a program does not need to run.
  std::vector<ElfSection> sections() const;

  std::uint16_t machine() const { return word<std::uint16_t>(18); }
  std::uint64_t size() const { return bytes_.size(); }

  bool has(std::uint64_t offset, std::uint64_t bytes) const {
    return offset <= bytes_.size() && bytes_.size() - offset >= bytes;
  }

  // 0 beyond the file's end.
  template <class Word>
  Word word(std::uint64_t offset) const {
    Word value = 0;
    if (has(offset, sizeof value)) std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }

  // Where in the file the bytes of an address are; nothing if nowhere.
  std::optional<std::uint64_t> offset_of(std::uint64_t address, bool executable = false) const;

  // Text up to a zero byte, or cut off at max_bytes; empty beyond the file's end.
  std::string_view text(std::uint64_t offset, std::uint64_t max_bytes) const;

 private:
  explicit ElfFile(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::span<const std::byte> bytes_;
  std::vector<ElfPart> parts_;
};

}  // namespace tailgate
