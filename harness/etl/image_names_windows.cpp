#include "harness/etl/image_names.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cwctype>
#include <map>
#include <string_view>
#include <vector>

#include "harness/etl/demangle.h"
#include "harness/os/api_windows.h"
#include "harness/os/wine_windows.h"

// After windows.h, whose types it needs.
#include <dbghelp.h>

namespace tailgate::etl {
namespace {

constexpr std::size_t kMaxNameUnits = 1024;
// Exports have no length: further away than this is probably another function.
constexpr std::uint64_t kMaxExportBytes = 4096;
constexpr std::uint64_t kImagesBegin = 0x1'0000'0000;
constexpr std::uint64_t kMaxImageBytes = std::uint64_t{4} << 30;

bool take_start(std::wstring_view& path, std::wstring_view start) {
  const auto same = [](wchar_t a, wchar_t b) { return std::towlower(a) == std::towlower(b); };
  if (path.size() < start.size() || !std::equal(start.begin(), start.end(), path.begin(), same)) {
    return false;
  }
  path.remove_prefix(start.size());
  return true;
}

// The path that programs use, of one that the kernel records.
std::wstring program_path(const std::string& recorded) {
  const std::wstring whole = wide(recorded);
  std::wstring_view path = whole;
  if (take_start(path, L"\\SystemRoot\\")) {
    std::array<wchar_t, MAX_PATH> folder{};
    GetWindowsDirectoryW(folder.data(), MAX_PATH);
    return std::wstring(folder.data()) + L"\\" + std::wstring(path);
  }
  if (take_start(path, L"\\??\\")) return std::wstring(path);
  for (wchar_t letter = L'A'; letter <= L'Z'; ++letter) {
    const std::wstring drive{letter, L':'};
    std::array<wchar_t, MAX_PATH> device{};
    if (QueryDosDeviceW(drive.c_str(), device.data(), MAX_PATH) == 0) continue;
    std::wstring_view rest = whole;
    if (take_start(rest, std::wstring(device.data()) + L"\\")) {
      return drive + L"\\" + std::wstring(rest);
    }
  }
  return whole;
}

class DebugHelp : public ImageNames {
 public:
  DebugHelp() {
    // With GCC's debugging information tests crashed in Wine 8's dbghelp, in 2 of 3 runs.
    const DWORD exports = wine_version().empty() ? 0 : SYMOPT_PUBLICS_ONLY;
    SymSetOptions(SYMOPT_UNDNAME | SYMOPT_FAIL_CRITICAL_ERRORS | SYMOPT_NO_PROMPTS | exports);
    ready_ = SymInitializeW(id(), nullptr, FALSE) != FALSE;
  }
  DebugHelp(const DebugHelp&) = delete;
  DebugHelp& operator=(const DebugHelp&) = delete;
  ~DebugHelp() override {
    if (ready_) SymCleanup(id());
  }

  std::string function_at(const std::string& path, std::uint64_t size_bytes,
                          std::uint64_t offset) override {
    const Image& image = image_of(path, size_bytes);
    if (image.base == 0) return {};
    alignas(SYMBOL_INFOW)
        std::array<std::byte, sizeof(SYMBOL_INFOW) + kMaxNameUnits * sizeof(wchar_t)>
            room{};
    auto* const symbol = reinterpret_cast<SYMBOL_INFOW*>(room.data());
    symbol->SizeOfStruct = sizeof *symbol;
    symbol->MaxNameLen = kMaxNameUnits;
    DWORD64 from_begin = 0;
    if (SymFromAddrW(id(), image.base + offset, &from_begin, symbol) == FALSE) return {};
    const bool has_length = !image.exports_alone && symbol->Size != 0;
    if (from_begin >= (has_length ? symbol->Size : kMaxExportBytes)) return {};
    return demangled(narrow(symbol->Name));
  }

 private:
  struct Image {
    std::uint64_t base = 0;  // 0: its file could not be read
    bool exports_alone = false;
  };

  // Any number that no other user of the library has: no process is examined.
  HANDLE id() { return this; }

  const Image& image_of(const std::string& path, std::uint64_t size_bytes) {
    const auto [place, is_new] = images_.try_emplace(path);
    Image& image = place->second;
    if (!is_new || !ready_ || size_bytes == 0 || size_bytes > kMaxImageBytes) return image;
    image.base = SymLoadModuleExW(id(), nullptr, program_path(path).c_str(), nullptr, next_base_,
                                  static_cast<DWORD>(size_bytes), nullptr, 0);
    next_base_ += kMaxImageBytes;
    IMAGEHLP_MODULEW64 module = {};
    module.SizeOfStruct = sizeof module;
    if (image.base != 0 && SymGetModuleInfoW64(id(), image.base, &module) != FALSE) {
      image.exports_alone = module.SymType == SymExport;
    }
    return image;
  }

  bool ready_ = false;
  std::uint64_t next_base_ = kImagesBegin;
  std::map<std::string, Image> images_;
};

}  // namespace

std::unique_ptr<ImageNames> debug_help_names() {
  return std::make_unique<DebugHelp>();
}

}  // namespace tailgate::etl
