// A file that grows as mapped memory: blocks allocated, pages present before they are used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

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
  static constexpr std::intptr_t kNoFile = -1;

  void unmap() noexcept;

  std::filesystem::path path_;
  std::intptr_t file_ = kNoFile;  // descriptor or HANDLE
  std::byte* data_ = nullptr;
  std::size_t limit_bytes_ = 0;
  std::size_t capacity_bytes_ = 0;
  std::vector<std::byte*> pieces_;  // Windows: what is mapped, one after another
};

}  // namespace tailgate
