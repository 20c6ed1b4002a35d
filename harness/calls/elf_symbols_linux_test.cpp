// Against the functions of this process: where the kernel says that their code lies in the files.
#include "harness/calls/elf_symbols.h"

#include <dlfcn.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "harness/os/install_paths.h"

namespace tailgate {
namespace {

// Found by its name, though nobody exports it.
extern "C" {
__attribute__((noinline)) static int tailgate_test_hidden(int number) {
  __asm__ volatile("" : "+r"(number));
  return number;
}
}

struct CodePlace {
  std::string file;
  std::uint64_t offset = 0;
};

// By /proc/self/maps: "BEGIN-END rights OFFSET device inode FILE".
CodePlace place_of(const void* code) {
  const auto address = reinterpret_cast<std::uintptr_t>(code);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t offset = 0;
    char dash = 0;
    std::string rights;
    std::string device;
    std::string inode;
    std::string file;
    words >> std::hex >> begin >> dash >> end >> rights >> offset >> device >> inode >> file;
    if (address >= begin && address < end) return {file, address - begin + offset};
  }
  return {};
}

std::vector<std::byte> content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

struct Symbol {
  std::string name;
  unsigned type = 2;  // a function
  std::uint16_t section = 1;
  std::uint64_t address = 0x1000;
};

// A file with one part, which is loaded to 0x1000 and executable, and with symbols.
class MadeFile {
 public:
  explicit MadeFile(const std::vector<Symbol>& symbols) {
    constexpr std::uint64_t kPart = 64;
    constexpr std::uint64_t kSections = 128;
    constexpr std::uint64_t kSymbols = 512;
    const std::uint64_t names = kSymbols + 24 * (symbols.size() + 1);
    bytes_.resize(names + 1);
    std::memcpy(bytes_.data(),
                "\x7f"
                "ELF\x02\x01",
                6);
    put<std::uint64_t>(32, kPart);
    put<std::uint64_t>(40, kSections);
    put<std::uint16_t>(56, 1);
    put<std::uint16_t>(60, 3);
    put<std::uint32_t>(kPart, 1);
    put<std::uint32_t>(kPart + 4, 5);
    put<std::uint64_t>(kPart + 8, 0x40);
    put<std::uint64_t>(kPart + 16, 0x1000);
    put<std::uint64_t>(kPart + 32, 0x100);
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      const std::uint64_t at = kSymbols + 24 * (i + 1);
      put<std::uint32_t>(at, static_cast<std::uint32_t>(bytes_.size() - names));
      put<std::uint8_t>(at + 4, static_cast<std::uint8_t>(symbols[i].type));
      put<std::uint16_t>(at + 6, symbols[i].section);
      put<std::uint64_t>(at + 8, symbols[i].address);
      for (const char letter : symbols[i].name + '\0') bytes_.push_back(std::byte(letter));
    }
    put_section(kSections + 64, 2, kSymbols, names - kSymbols, 2);
    put_section(kSections + 128, 3, names, bytes_.size() - names, 0);
  }

  std::vector<std::byte>& bytes() { return bytes_; }

 private:
  template <class Word>
  void put(std::uint64_t at, Word word) {
    std::memcpy(bytes_.data() + at, &word, sizeof word);
  }
  void put_section(std::uint64_t at, std::uint32_t type, std::uint64_t offset, std::uint64_t bytes,
                   std::uint32_t link) {
    put<std::uint32_t>(at + 4, type);
    put<std::uint64_t>(at + 24, offset);
    put<std::uint64_t>(at + 32, bytes);
    put<std::uint32_t>(at + 40, link);
  }

  std::vector<std::byte> bytes_;
};

using Offsets = std::set<std::uint64_t>;

}  // namespace

TEST_CASE("a function that nobody exports is where the kernel has mapped it from") {
  REQUIRE(tailgate_test_hidden(3) == 3);
  const CodePlace place = place_of(reinterpret_cast<const void*>(&tailgate_test_hidden));
  const std::vector<std::byte> file = content(executable_path().string());
  const FoundFunction found = find_function(file, "tailgate_test_hidden");
  CHECK(found.has_all_names);
  CHECK(found.offsets == Offsets{place.offset});
  CHECK_FALSE(found.is_exported);
}

TEST_CASE("an exported function of a library is where the kernel has mapped it from") {
  const void* const code = dlsym(RTLD_DEFAULT, "fputs");
  REQUIRE(code != nullptr);
  const CodePlace place = place_of(code);
  if (place.file.find("libc.so") == std::string::npos) {
    WARN("skipped: a sanitizer wraps fputs");
    return;
  }
  const std::vector<std::byte> file = content(place.file);
  const FoundFunction found = find_function(file, "fputs");
  CHECK(found.offsets == Offsets{place.offset});
  CHECK(found.is_exported);
  CHECK(find_function(file, "environ").is_no_function);
  CHECK(find_function(file, "environ").offsets.empty());
  CHECK(find_function(file, "no_such_function").offsets.empty());
#if defined(__x86_64__)
  CHECK(find_function(file, "strlen").is_chosen_at_start);
  CHECK(find_function(file, "strlen").offsets.empty());
#endif
}

TEST_CASE("all functions of a name are found, and the compiler's copies of them") {
  MadeFile file({{"log", 2, 1, 0x1000},
                 {"log", 2, 1, 0x1010},
                 {"log.constprop.0", 2, 1, 0x1020},
                 {"log.isra.0.constprop.12", 2, 1, 0x1030},
                 {"log.llvm.1234", 0, 1, 0x1040}});
  const FoundFunction found = find_function(file.bytes(), "log");
  CHECK(found.offsets == Offsets{0x40, 0x50, 0x60, 0x70, 0x80});
  CHECK(found.has_all_names);
  CHECK(find_function(file.bytes(), "log.constprop.0").offsets == Offsets{0x60});
}

TEST_CASE("parts of a function, other names and what is not in this file do not count") {
  MadeFile file({{"log.cold", 2, 1, 0x1000},
                 {"log.part.0", 2, 1, 0x1000},
                 {"log.constprop.", 2, 1, 0x1000},
                 {"log.constprop.0x", 2, 1, 0x1000},
                 {"logger", 2, 1, 0x1000},
                 {"log", 2, 0, 0x1000},
                 {"log", 4, 1, 0x1000}});
  const FoundFunction found = find_function(file.bytes(), "log");
  CHECK(found.offsets.empty());
  CHECK_FALSE(found.is_no_function);
  MadeFile outside({{"log", 2, 1, 0x2000}});
  CHECK(find_function(outside.bytes(), "log").offsets.empty());
}

TEST_CASE("a file that is cut off anywhere has what is left") {
  const std::vector<std::byte> whole = MadeFile({{"log"}}).bytes();
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
    const std::vector<std::byte> cut(whole.begin(),
                                     whole.begin() + static_cast<std::ptrdiff_t>(bytes));
    CHECK(find_function(cut, "log").offsets.size() <= 1);
  }
}

}  // namespace tailgate
