#include "harness/calls/elf_file.h"

#include <algorithm>

namespace tailgate {
namespace {

constexpr std::string_view kIdentity(
    "\x7f"
    "ELF\x02\x01",
    6);
constexpr std::uint64_t kPartsAt = 32;
constexpr std::uint64_t kSectionsAt = 40;
constexpr std::uint64_t kPartCountAt = 56;
constexpr std::uint64_t kSectionCountAt = 60;
constexpr std::uint64_t kPartBytes = 56;
constexpr std::uint64_t kSectionBytes = 64;
constexpr std::uint32_t kExecutable = 1;

}  // namespace

std::optional<ElfFile> ElfFile::open(std::span<const std::byte> bytes) {
  if (bytes.size() < kIdentity.size() ||
      std::memcmp(bytes.data(), kIdentity.data(), kIdentity.size()) != 0) {
    return {};
  }
  ElfFile file(bytes);
  const auto first = file.word<std::uint64_t>(kPartsAt);
  const auto count = file.word<std::uint16_t>(kPartCountAt);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t at = first + i * kPartBytes;
    if (!file.has(at, kPartBytes)) break;
    file.parts_.push_back({.type = file.word<std::uint32_t>(at),
                           .executable = (file.word<std::uint32_t>(at + 4) & kExecutable) != 0,
                           .offset = file.word<std::uint64_t>(at + 8),
                           .address = file.word<std::uint64_t>(at + 16),
                           .bytes = file.word<std::uint64_t>(at + 32)});
  }
  return file;
}

std::vector<ElfSection> ElfFile::sections() const {
  std::vector<ElfSection> sections;
  const auto first = word<std::uint64_t>(kSectionsAt);
  std::uint64_t count = word<std::uint16_t>(kSectionCountAt);
  // A file with more than the header has room for says so in its first section.
  if (count == 0 && first != 0) count = word<std::uint64_t>(first + 32);
  for (std::uint64_t i = 0; i < std::min(count, kMaxEntries); ++i) {
    const std::uint64_t at = first + i * kSectionBytes;
    if (!has(at, kSectionBytes)) break;
    sections.push_back({.type = word<std::uint32_t>(at + 4),
                        .link = word<std::uint32_t>(at + 40),
                        .offset = word<std::uint64_t>(at + 24),
                        .bytes = word<std::uint64_t>(at + 32)});
  }
  return sections;
}

std::optional<std::uint64_t> ElfFile::offset_of(std::uint64_t address, bool executable) const {
  for (const ElfPart& part : parts_) {
    if (part.type != kLoad || (executable && !part.executable)) continue;
    if (address >= part.address && address - part.address < part.bytes) {
      return part.offset + (address - part.address);
    }
  }
  return {};
}

std::string_view ElfFile::text(std::uint64_t offset, std::uint64_t max_bytes) const {
  if (offset >= bytes_.size()) return {};
  const std::string_view rest(
      reinterpret_cast<const char*>(bytes_.data() + offset),
      static_cast<std::size_t>(std::min(bytes_.size() - offset, max_bytes)));
  return rest.substr(0, rest.find('\0'));
}

}  // namespace tailgate
