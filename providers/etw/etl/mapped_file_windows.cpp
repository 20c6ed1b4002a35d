#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>

#include "harness/base/error.h"
#include "providers/etw/etl/mapped_file.h"

namespace tailgate::etl {
namespace {

// Closes a handle at the end of its scope: a view keeps the file and its mapping alive by itself.
class Handle {
 public:
  explicit Handle(HANDLE handle) : handle_(handle) {}
  ~Handle() {
    if (valid()) CloseHandle(handle_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  bool valid() const { return handle_ != nullptr && handle_ != INVALID_HANDLE_VALUE; }
  HANDLE get() const { return handle_; }

 private:
  HANDLE handle_;
};

Error last_error(const char* call, const std::filesystem::path& path, const char* remedy) {
  return system_error(call, path.string(), static_cast<int>(GetLastError()), remedy);
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) {
  // A session may still hold the file open for writing.
  constexpr DWORD kShare = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
  Handle file(CreateFileW(path.c_str(), GENERIC_READ, kShare, nullptr, OPEN_EXISTING,
                          FILE_FLAG_SEQUENTIAL_SCAN, nullptr));
  if (!file.valid()) throw last_error("CreateFileW", path, "name an .etl file that you may read");
  if (GetFileType(file.get()) != FILE_TYPE_DISK) {
    throw Error("'" + path.string() + "' is not a regular file", "name an .etl file");
  }
  LARGE_INTEGER size;
  if (!GetFileSizeEx(file.get(), &size)) {
    throw last_error("GetFileSizeEx", path, "check the file system");
  }
  if (size.QuadPart == 0) return;
  Handle mapping(CreateFileMappingW(file.get(), nullptr, PAGE_READONLY, 0, 0, nullptr));
  if (!mapping.valid()) throw last_error("CreateFileMappingW", path, "check the file system");
  const void* start = MapViewOfFile(mapping.get(), FILE_MAP_READ, 0, 0, 0);
  if (start == nullptr) {
    throw last_error("MapViewOfFile", path,
                     "free address space, or read the file on a 64-bit machine");
  }
  bytes_ = Bytes(static_cast<const std::uint8_t*>(start), static_cast<std::size_t>(size.QuadPart));
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) UnmapViewOfFile(bytes_.data());
}

}  // namespace tailgate::etl
