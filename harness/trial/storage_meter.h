// Looks at the sizes of a folder's files again and again, and keeps the looks in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "harness/os/clock.h"
#include "harness/result/kept_events.h"

namespace tailgate {

class StorageMeter {
 public:
  // Looks for the first time: what is there now is counted as before_bytes.
  StorageMeter(const ClockParameters& clock, const std::filesystem::path& directory);

  // Looks at that folder, too, from now on; what is in it now is part of before_bytes.
  void add(const std::filesystem::path& directory);

  // A file that is removed meanwhile counts or not. Does not throw.
  void look();

  // What was seen so far.
  StorageUse so_far() const;

  // Looks for the last time. Returns all that was seen.
  StorageUse take();

  // How many looks are kept at most, besides the last one. Beyond that, neighbours are joined.
  static constexpr std::size_t kMostKept = 256;

 private:
  StorageLook now() const;
  void add_files_of(const std::filesystem::path& directory, StorageLook& look) const;
  void keep(const StorageLook& look);

  Clock clock_;
  std::vector<std::filesystem::path> directories_;
  StorageUse use_;
  StorageLook pending_;  // what the looks since the last one that was kept saw
  std::size_t in_pending_ = 0;
  std::size_t each_ = 1;  // so many looks are kept as one
};

}  // namespace tailgate
