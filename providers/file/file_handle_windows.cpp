#include "providers/file/file_handle_windows.h"

#include "providers/file/refusal.h"

namespace tailgate::file {
namespace {

// From winerror.h; mingw-w64 10 does not define them.
constexpr DWORD kDiskQuotaExceeded = 1295;
constexpr DWORD kFileSystemLimitation = 665;

DWORD write_file(HANDLE file, std::span<const std::byte> bytes, OVERLAPPED* position) noexcept {
  DWORD written = 0;
  const auto wanted = static_cast<DWORD>(bytes.size());
  if (WriteFile(file, bytes.data(), wanted, &written, position) == 0) return GetLastError();
  return written == wanted ? 0 : ERROR_HANDLE_DISK_FULL;
}

}  // namespace

FileHandle::FileHandle(const std::filesystem::path& path, DWORD access, DWORD flags)
    : handle_(CreateFileW(path.c_str(), access,
                          FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                          OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL | flags, nullptr)) {
  if (handle_ == nullptr) {
    throw windows_error("CreateFileW", path.string(), GetLastError(),
                        "start the session before its provider");
  }
}

DWORD FileHandle::write(std::span<const std::byte> bytes) const noexcept {
  return write_file(handle_.get(), bytes, nullptr);
}

DWORD FileHandle::write_at(std::span<const std::byte> bytes,
                           std::uint64_t offset_bytes) const noexcept {
  OVERLAPPED position = {};
  position.Offset = static_cast<DWORD>(offset_bytes);
  position.OffsetHigh = static_cast<DWORD>(offset_bytes >> 32);
  return write_file(handle_.get(), bytes, &position);
}

DWORD FileHandle::flush() const noexcept {
  return FlushFileBuffers(handle_.get()) != 0 ? 0 : GetLastError();
}

EmitStatus refusal_of_windows(DWORD error) {
  switch (error) {
    case 0:
      return kAccepted;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL:
      return kNoSpace;
    case kDiskQuotaExceeded:
      return kQuota;
    case ERROR_FILE_TOO_LARGE:
    case kFileSystemLimitation:
      return kTooBig;
    case ERROR_IO_DEVICE:
    case ERROR_CRC:
    case ERROR_WRITE_FAULT:
      return kInputOutput;
    default:
      return kOther;
  }
}

}  // namespace tailgate::file
