#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "harness/base/error.h"
#include "harness/os/mapped_file.h"

namespace tailgate {
namespace {

std::size_t round_to_pages(std::size_t bytes) {
  const auto page_bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

// Makes every page present and writable. Kernels before 5.14 do not know MADV_POPULATE_WRITE:
// there, touch each page.
int populate(std::byte* start, std::size_t bytes) {
  if (::madvise(start, bytes, MADV_POPULATE_WRITE) == 0) return 0;
  if (errno != EINVAL) return errno;
  const std::size_t page_bytes = round_to_pages(1);
  for (std::size_t at = 0; at < bytes; at += page_bytes) {
    static_cast<volatile std::byte*>(start)[at] = std::byte{0};
  }
  return 0;
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) : path_(path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    throw system_error("open", path.string(), errno, "name a file that you may read");
  }
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) {
    const int error = errno;
    ::close(descriptor);
    throw system_error("fstat", path.string(), error, "check the file system");
  }
  if (!S_ISREG(status.st_mode)) {
    ::close(descriptor);
    throw Error("'" + path.string() + "' is not a regular file", "name a regular file");
  }
  const auto size_bytes = static_cast<std::size_t>(status.st_size);
  if (size_bytes == 0) {
    ::close(descriptor);
    return;
  }
  void* start = ::mmap(nullptr, size_bytes, PROT_READ, MAP_PRIVATE, descriptor, 0);
  const int error = errno;
  ::close(descriptor);
  if (start == MAP_FAILED) {
    throw system_error("mmap", path.string(), error,
                       "free address space, or read the file on a 64-bit machine");
  }
  ::madvise(start, size_bytes, MADV_SEQUENTIAL);
  data_ = static_cast<std::byte*>(start);
  limit_bytes_ = capacity_bytes_ = size_bytes;
}

MappedFile::MappedFile(const std::filesystem::path& path, std::size_t limit_bytes)
    : path_(path), limit_bytes_(round_to_pages(limit_bytes)) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0) {
    throw system_error("open", path.string(), errno, "choose a directory that can be written to");
  }
  void* range =
      ::mmap(nullptr, limit_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) {
    const int error = errno;
    ::close(descriptor);
    throw system_error("mmap", fmt::format("{} bytes of addresses", limit_bytes_), error,
                       "raise the limit on address space (ulimit -v)");
  }
  data_ = static_cast<std::byte*>(range);
  file_ = descriptor;
}

MappedFile::~MappedFile() {
  unmap();
}

void MappedFile::extend(std::size_t capacity_bytes) {
  const std::size_t wanted = round_to_pages(capacity_bytes);
  if (wanted <= capacity_bytes_) return;
  if (wanted > limit_bytes_) {
    throw Error(fmt::format("'{}' would grow to {} bytes, above its limit of {}", path_.string(),
                            wanted, limit_bytes_),
                "emit fewer or smaller events in one trial");
  }
  const int descriptor = static_cast<int>(file_);
  const auto offset = static_cast<off_t>(capacity_bytes_);
  const std::size_t more = wanted - capacity_bytes_;
  if (const int error = ::posix_fallocate(descriptor, offset, static_cast<off_t>(more))) {
    throw system_error(fmt::format("posix_fallocate of {} more bytes", more), path_.string(), error,
                       "free disk space, choose another directory or emit fewer events");
  }
  std::byte* const start = data_ + capacity_bytes_;
  if (::mmap(start, more, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, descriptor, offset) ==
      MAP_FAILED) {
    throw system_error("mmap", path_.string(), errno, "choose a directory on a local file system");
  }
  if (const int error = populate(start, more)) {
    throw system_error("madvise", path_.string(), error, "check the disk and the memory limits");
  }
  capacity_bytes_ = wanted;
}

void MappedFile::close(std::size_t used_bytes) {
  if (file_ == kNoFile) return;
  const bool cut = ::ftruncate(static_cast<int>(file_), static_cast<off_t>(used_bytes)) == 0;
  const int error = cut ? 0 : errno;
  unmap();
  if (error != 0) throw system_error("ftruncate", path_.string(), error, "check the disk");
}

void MappedFile::unmap() noexcept {
  if (data_ != nullptr) ::munmap(data_, limit_bytes_);
  if (file_ != kNoFile) ::close(static_cast<int>(file_));
  data_ = nullptr;
  capacity_bytes_ = 0;
  file_ = kNoFile;
}

}  // namespace tailgate
