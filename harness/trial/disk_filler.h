// Fills a small file system with one file until nothing more fits, and makes room again.
#pragma once

#include <cstdint>
#include <filesystem>

namespace tailgate {

class DiskFiller {
 public:
  DiskFiller() = default;
  ~DiskFiller() { free(); }
  DiskFiller(const DiskFiller&) = delete;
  DiskFiller& operator=(const DiskFiller&) = delete;

  // Fills the file system of that folder. Throws Error, and fills nothing, unless it is one in
  // memory of kMostBytes at most: the machine's own file systems are never filled.
  void fill(const std::filesystem::path& folder);

  // Removes the file. A second call does nothing.
  void free() noexcept;

  static constexpr std::uint64_t kMostBytes = 1 << 30;

 private:
  int folder_ = -1;  // held open: its path may lead through a namespace that ends
};

}  // namespace tailgate
