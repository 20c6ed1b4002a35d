#include "harness/base/api_windows.h"
#include "providers/etw/etl/mapped_file.h"

namespace tailgate::etl {
namespace {

Error last_error(const char* call, const std::filesystem::path& path, const char* remedy) {
  return windows_error(call, path.string(), GetLastError(), remedy);
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) {
  // A session may still hold the file open for writing.
  constexpr DWORD kShare = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
  // The view keeps the file and its mapping alive by itself.
  const Handle file(CreateFileW(path.c_str(), GENERIC_READ, kShare, nullptr, OPEN_EXISTING,
                                FILE_FLAG_SEQUENTIAL_SCAN, nullptr));
  if (!file) throw last_error("CreateFileW", path, "name an .etl file that you may read");
  if (GetFileType(file.get()) != FILE_TYPE_DISK) {
    throw Error("'" + path.string() + "' is not a regular file", "name an .etl file");
  }
  LARGE_INTEGER size;
  if (!GetFileSizeEx(file.get(), &size)) {
    throw last_error("GetFileSizeEx", path, "check the file system");
  }
  if (size.QuadPart == 0) return;
  const Handle mapping(CreateFileMappingW(file.get(), nullptr, PAGE_READONLY, 0, 0, nullptr));
  if (!mapping) throw last_error("CreateFileMappingW", path, "check the file system");
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
