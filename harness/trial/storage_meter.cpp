#include "harness/trial/storage_meter.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace tailgate {
namespace {

// a, then b, as one look.
StorageLook joined(const StorageLook& a, StorageLook b) {
  b.most_bytes = std::max(a.most_bytes, b.most_bytes);
  return b;
}

}  // namespace

StorageMeter::StorageMeter(const ClockParameters& clock, const std::filesystem::path& directory)
    : clock_(clock) {
  add(directory);
}

void StorageMeter::add(const std::filesystem::path& directory) {
  directories_.push_back(directory);
  use_.before_bytes = now().bytes;
}

StorageLook StorageMeter::now() const {
  StorageLook look{.at_ns = clock_.now_ns()};
  for (const std::filesystem::path& directory : directories_) add_files_of(directory, look);
  look.most_bytes = look.bytes;
  return look;
}

void StorageMeter::add_files_of(const std::filesystem::path& directory, StorageLook& look) const {
  namespace fs = std::filesystem;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code gone;
    if (entry->is_symlink(gone) || !entry->is_regular_file(gone)) continue;
    // Such a file holds a sink's state, not events.
    if (entry->path().filename().string().starts_with('.')) continue;
    const std::uintmax_t bytes = entry->file_size(gone);
    if (gone) continue;
    look.bytes += bytes;
    ++look.files;
  }
}

void StorageMeter::look() {
  ++use_.looks;
  pending_ = in_pending_ == 0 ? now() : joined(pending_, now());
  if (++in_pending_ < each_) return;
  keep(pending_);
  in_pending_ = 0;
}

void StorageMeter::keep(const StorageLook& look) {
  if (use_.kept.size() == kMostKept) {
    for (std::size_t i = 0; i < kMostKept / 2; ++i) {
      use_.kept[i] = joined(use_.kept[2 * i], use_.kept[2 * i + 1]);
    }
    use_.kept.resize(kMostKept / 2);
    each_ *= 2;
  }
  use_.kept.push_back(look);
}

StorageUse StorageMeter::so_far() const {
  StorageUse use = use_;
  if (in_pending_ > 0) use.kept.push_back(pending_);
  return use;
}

StorageUse StorageMeter::take() {
  ++use_.looks;
  const StorageLook last = in_pending_ == 0 ? now() : joined(pending_, now());
  in_pending_ = 0;
  use_.kept.push_back(last);
  return std::move(use_);
}

}  // namespace tailgate
