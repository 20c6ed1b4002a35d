// A file that grows as mapped memory: blocks allocated, pages present before they are used.
#pragma once

#include <cstddef>
#include <filesystem>

namespace tailgate {

class MappedFile {
 public:
  // Opens or creates the file and keeps an address range for it in which it can grow to
  // limit_bytes; maps nothing yet. Throws Error.
  MappedFile(const std::filesystem::path& path, std::size_t limit_bytes);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  // Allocates the blocks up to capacity_bytes (rounded up to whole pages), maps them and touches
  // every page, so that writing them later neither faults nor finds the disk full. May run while
  // others write below the old capacity. Throws Error (disk full, beyond the limit), after which
  // the old capacity still holds.
  void extend(std::size_t capacity_bytes);

  std::size_t capacity_bytes() const { return capacity_bytes_; }
  std::byte* data() { return data_; }

  // Unmaps and cuts the file to used_bytes. A second call does nothing. Throws Error.
  void close(std::size_t used_bytes);

 private:
  void unmap() noexcept;

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::byte* data_ = nullptr;
  std::size_t limit_bytes_ = 0;
  std::size_t capacity_bytes_ = 0;
};

}  // namespace tailgate
