#include "harness/profile/exported_function_linux.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace tailgate::profile {
namespace {

// An open ELF file.
class ElfFile {
 public:
  explicit ElfFile(const std::filesystem::path& path)
      : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0 || elf_version(EV_CURRENT) == EV_NONE) return;
    elf_ = elf_begin(descriptor_, ELF_C_READ, nullptr);
  }
  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;
  ~ElfFile() {
    if (elf_ != nullptr) elf_end(elf_);
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  std::optional<std::uint64_t> address_of(const std::string& function) const {
    for (Elf_Scn* section = next(nullptr); section != nullptr; section = next(section)) {
      GElf_Shdr header{};
      if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_DYNSYM) continue;
      Elf_Data* const data = elf_getdata(section, nullptr);
      if (data == nullptr || header.sh_entsize == 0) continue;
      const auto count = static_cast<int>(header.sh_size / header.sh_entsize);
      for (int i = 0; i < count; ++i) {
        GElf_Sym symbol{};
        if (gelf_getsym(data, i, &symbol) == nullptr || symbol.st_shndx == SHN_UNDEF) continue;
        if (GELF_ST_TYPE(symbol.st_info) != STT_FUNC) continue;
        const char* const name = elf_strptr(elf_, header.sh_link, symbol.st_name);
        if (name != nullptr && function == name) return symbol.st_value;
      }
    }
    return {};
  }

  // Where the segment that holds the address has it in the file.
  std::optional<std::uint64_t> offset_of(std::uint64_t address) const {
    std::size_t count = 0;
    if (elf_ == nullptr || elf_getphdrnum(elf_, &count) != 0) return {};
    for (int i = 0; i < static_cast<int>(count); ++i) {
      GElf_Phdr segment{};
      if (gelf_getphdr(elf_, i, &segment) == nullptr || segment.p_type != PT_LOAD) continue;
      if (address < segment.p_vaddr || address - segment.p_vaddr >= segment.p_filesz) continue;
      return address - segment.p_vaddr + segment.p_offset;
    }
    return {};
  }

 private:
  Elf_Scn* next(Elf_Scn* section) const {
    return elf_ == nullptr ? nullptr : elf_nextscn(elf_, section);
  }

  int descriptor_;
  Elf* elf_ = nullptr;
};

}  // namespace

std::vector<std::filesystem::path> code_files(int pid) {
  std::vector<std::filesystem::path> files;
  std::ifstream maps(fmt::format("/proc/{}/maps", pid));
  for (std::string line; std::getline(maps, line);) {
    std::istringstream fields(line);
    std::string range;
    std::string access;
    std::string offset;
    std::string device;
    std::string inode;
    fields >> range >> access >> offset >> device >> inode >> std::ws;
    std::string file;
    std::getline(fields, file);
    if (access.find('x') == std::string::npos || !file.starts_with('/')) continue;
    if (std::find(files.begin(), files.end(), file) == files.end()) files.emplace_back(file);
  }
  return files;
}

std::optional<std::uint64_t> exported_function(const std::filesystem::path& file,
                                               const std::string& name) {
  const ElfFile elf(file);
  const std::optional<std::uint64_t> address = elf.address_of(name);
  if (!address) return {};
  return elf.offset_of(*address);
}

}  // namespace tailgate::profile
