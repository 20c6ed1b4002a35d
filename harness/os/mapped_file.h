// A file mapped into memory: a whole file to read, or a file that grows while it is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace tailgate {

class MappedFile {
 public:
  // Maps the whole file, read only; an empty file has no bytes. If a mapped file shrinks, reading
  // it ends the process. Throws Error when the file cannot be opened or mapped, or is not a regular
  // one.
  explicit MappedFile(const std::filesystem::path& path);

  // Opens or creates the file to write it, and reserves an address range in which it can grow to
  // limit_bytes. Maps nothing yet: extend() does. Throws Error.
  MappedFile(const std::filesystem::path& path, std::size_t limit_bytes);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  // Allocates the blocks up to capacity_bytes (rounded up to whole pages), maps them and touches
  // every page, so that later writes neither fault nor find the disk full. Other threads may write
  // below the old capacity meanwhile. Throws Error when the disk is full or the limit is exceeded;
  // the old capacity then stays valid. A file mapped to read has its size as its limit.
  void extend(std::size_t capacity_bytes);

  std::size_t capacity_bytes() const { return capacity_bytes_; }
  // Where the file is mapped; write only to a file that was opened with a limit.
  std::byte* data() { return data_; }
  std::span<const std::byte> bytes() const { return {data_, capacity_bytes_}; }

  // Unmaps a file that was opened with a limit, and truncates it to used_bytes. A second call does
  // nothing. Throws Error.
  void close(std::size_t used_bytes);

 private:
  static constexpr std::intptr_t kNoFile = -1;

  void unmap() noexcept;

  std::filesystem::path path_;
  std::intptr_t file_ = kNoFile;  // descriptor or HANDLE; a file mapped to read is closed
  std::byte* data_ = nullptr;
  std::size_t limit_bytes_ = 0;
  std::size_t capacity_bytes_ = 0;
  std::vector<std::byte*> pieces_;  // Windows: the mapped pieces, in order
};

}  // namespace tailgate
