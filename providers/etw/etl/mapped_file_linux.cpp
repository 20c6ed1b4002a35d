#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "harness/base/error.h"
#include "providers/etw/etl/mapped_file.h"

namespace tailgate::etl {

MappedFile::MappedFile(const std::filesystem::path& path) {
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    throw system_error("open", path.string(), errno, "name an .etl file that you may read");
  }
  struct stat status {};
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
    int error = errno;
    close(file);
    throw S_ISREG(status.st_mode)
        ? system_error("fstat", path.string(), error, "check the file system")
        : Error("'" + path.string() + "' is not a regular file", "name an .etl file");
  }
  auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) {
    close(file);
    return;
  }
  void* start = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  int error = errno;
  close(file);
  if (start == MAP_FAILED) {
    throw system_error("mmap", path.string(), error,
                       "free address space, or read the file on a 64-bit machine");
  }
  madvise(start, size, MADV_SEQUENTIAL);
  bytes_ = Bytes(static_cast<const std::uint8_t*>(start), size);
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) munmap(const_cast<std::uint8_t*>(bytes_.data()), bytes_.size());
}

}  // namespace tailgate::etl
