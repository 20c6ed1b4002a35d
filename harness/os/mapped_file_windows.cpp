// A file's section cannot grow. So each piece of the file gets a section and a view of its own,
// mapped at the address where the previous view ends.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <new>

#include "harness/os/api_windows.h"
#include "harness/os/mapped_file.h"

namespace tailgate {
namespace {

// Another process may hold the file open, such as a session that still writes it.
constexpr DWORD kShare = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

// A view's address is a multiple of this (SYSTEM_INFO::dwAllocationGranularity, the same on every
// Windows so far).
constexpr std::size_t kGranularityBytes = 64 * 1024;
constexpr std::size_t kPageBytes = 4096;

std::size_t round_up(std::size_t bytes) {
  return (bytes + kGranularityBytes - 1) / kGranularityBytes * kGranularityBytes;
}

// Address ranges for files that grow. The system hands out addresses from both ends of the 128 TiB,
// and these lie between. A reserved range would have to be released before a view can be mapped
// there. A range whose file is closed is used again: what Wine keeps for each page of a range, it
// keeps for good.
class AddressRanges {
 public:
  // A range that nobody else uses; null when there is none. Give it back.
  std::byte* take(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    for (auto range = free_.lower_bound(bytes); range != free_.end();) {
      const std::uintptr_t base = range->second;
      const std::size_t left = range->first - bytes;
      range = free_.erase(range);
      if (!is_free(base, bytes)) continue;
      if (left != 0) free_.emplace(left, base + bytes);
      return reinterpret_cast<std::byte*>(base);
    }
    while (kEnd - next_ >= bytes) {
      const std::uintptr_t base = next_;
      next_ += bytes;
      if (is_free(base, bytes)) return reinterpret_cast<std::byte*>(base);
    }
    return nullptr;
  }

  void give_back(std::byte* base, std::size_t bytes) noexcept {
    const std::lock_guard lock(mutex_);
    try {
      free_.emplace(bytes, reinterpret_cast<std::uintptr_t>(base));
    } catch (const std::bad_alloc&) {
      // It is not used again.
    }
  }

 private:
  static constexpr std::uintptr_t kEnd = std::uintptr_t{3} << 45;

  static bool is_free(std::uintptr_t base, std::size_t bytes) {
    void* range = VirtualAlloc(reinterpret_cast<void*>(base), bytes, MEM_RESERVE, PAGE_NOACCESS);
    if (range == nullptr) return false;
    VirtualFree(range, 0, MEM_RELEASE);
    return true;
  }

  std::mutex mutex_;
  std::uintptr_t next_ = std::uintptr_t{1} << 45;
  std::multimap<std::size_t, std::uintptr_t> free_;  // by size
};

// Lives as long as the process: a file may be closed by what is destroyed last.
AddressRanges& address_ranges() {
  static AddressRanges* const ranges = new AddressRanges;
  return *ranges;
}

bool set_size(HANDLE file, std::size_t bytes) {
  LARGE_INTEGER end;
  end.QuadPart = static_cast<LONGLONG>(bytes);
  return SetFilePointerEx(file, end, nullptr, FILE_BEGIN) != 0 && SetEndOfFile(file) != 0;
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) : path_(path) {
  // The view keeps the file and its section open.
  const Handle file(CreateFileW(path.c_str(), GENERIC_READ, kShare, nullptr, OPEN_EXISTING,
                                FILE_FLAG_SEQUENTIAL_SCAN, nullptr));
  if (!file) {
    throw windows_error("CreateFileW", path.string(), GetLastError(),
                        "name a file that you may read");
  }
  if (GetFileType(file.get()) != FILE_TYPE_DISK) {
    throw Error("'" + path.string() + "' is not a regular file", "name a regular file");
  }
  LARGE_INTEGER size;
  if (!GetFileSizeEx(file.get(), &size)) {
    throw windows_error("GetFileSizeEx", path.string(), GetLastError(), "check the file system");
  }
  if (size.QuadPart == 0) return;
  const Handle section(CreateFileMappingW(file.get(), nullptr, PAGE_READONLY, 0, 0, nullptr));
  if (!section) {
    throw windows_error("CreateFileMappingW", path.string(), GetLastError(),
                        "check the file system");
  }
  void* const start = MapViewOfFile(section.get(), FILE_MAP_READ, 0, 0, 0);
  if (start == nullptr) {
    throw windows_error("MapViewOfFile", path.string(), GetLastError(),
                        "free address space, or read the file on a 64-bit machine");
  }
  data_ = static_cast<std::byte*>(start);
  pieces_.push_back(data_);
  limit_bytes_ = capacity_bytes_ = static_cast<std::size_t>(size.QuadPart);
}

MappedFile::MappedFile(const std::filesystem::path& path, std::size_t limit_bytes)
    : path_(path), limit_bytes_(round_up(limit_bytes)) {
  Handle file(CreateFileW(path.c_str(), GENERIC_READ | GENERIC_WRITE, kShare, nullptr, OPEN_ALWAYS,
                          FILE_ATTRIBUTE_NORMAL, nullptr));
  if (!file) {
    throw windows_error("CreateFileW", path.string(), GetLastError(),
                        "choose a directory that can be written to");
  }
  data_ = address_ranges().take(limit_bytes_);
  if (data_ == nullptr) {
    throw Error(fmt::format("{} bytes of addresses are not free", limit_bytes_),
                "map fewer files in one process");
  }
  file_ = reinterpret_cast<std::intptr_t>(file.release());
}

MappedFile::~MappedFile() {
  unmap();
}

void MappedFile::extend(std::size_t capacity_bytes) {
  const std::size_t wanted = round_up(capacity_bytes);
  if (wanted <= capacity_bytes_) return;
  if (wanted > limit_bytes_) {
    throw Error(fmt::format("'{}' would grow to {} bytes, above its limit of {}", path_.string(),
                            wanted, limit_bytes_),
                "emit fewer or smaller events in one trial");
  }
  const auto file = reinterpret_cast<HANDLE>(file_);
  if (!set_size(file, wanted)) {
    throw windows_error(fmt::format("SetEndOfFile at {} bytes", wanted), path_.string(),
                        GetLastError(),
                        "free disk space, choose another directory or emit fewer events");
  }
  const Handle section(CreateFileMappingW(file, nullptr, PAGE_READWRITE, 0, 0, nullptr));
  if (!section) {
    throw windows_error("CreateFileMappingW", path_.string(), GetLastError(), "check the disk");
  }
  const std::size_t more = wanted - capacity_bytes_;
  std::byte* const start = data_ + capacity_bytes_;
  if (MapViewOfFileEx(section.get(), FILE_MAP_READ | FILE_MAP_WRITE,
                      static_cast<DWORD>(capacity_bytes_ >> 32),
                      static_cast<DWORD>(capacity_bytes_), more, start) == nullptr) {
    throw windows_error("MapViewOfFileEx", path_.string(), GetLastError(),
                        "choose a directory on a local volume");
  }
  pieces_.push_back(start);
  // A new page of a file holds zeros; writing a zero makes the page present and writable.
  for (std::size_t at = 0; at < more; at += kPageBytes) {
    static_cast<volatile std::byte*>(start)[at] = std::byte{0};
  }
  capacity_bytes_ = wanted;
}

void MappedFile::close(std::size_t used_bytes) {
  if (file_ == kNoFile) return;
  // Windows does not truncate a file that is mapped.
  for (std::byte* piece : pieces_) UnmapViewOfFile(piece);
  pieces_.clear();
  const DWORD failed = set_size(reinterpret_cast<HANDLE>(file_), used_bytes) ? 0 : GetLastError();
  unmap();
  if (failed != 0) throw windows_error("SetEndOfFile", path_.string(), failed, "check the disk");
}

void MappedFile::unmap() noexcept {
  for (std::byte* piece : pieces_) UnmapViewOfFile(piece);
  pieces_.clear();
  if (file_ != kNoFile) {
    CloseHandle(reinterpret_cast<HANDLE>(file_));
    address_ranges().give_back(data_, limit_bytes_);
  }
  data_ = nullptr;
  capacity_bytes_ = 0;
  file_ = kNoFile;
}

}  // namespace tailgate
