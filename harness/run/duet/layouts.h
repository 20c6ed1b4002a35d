// Layouts of the builds in memory: before each round, the files of one layout of each side are put
// where the side runs them from, so that its path, and what it finds beside it, stay the same.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tailgate {

// A file that a side runs, and the folder of its layouts: the files 0, 1 …, and `as_built`.
struct LayoutFile {
  std::filesystem::path file;
  std::filesystem::path folder;
  std::string as_built;
};

// Of one side. Without files, the side has one layout.
struct SideLayouts {
  unsigned count = 0;
  std::vector<LayoutFile> files = {};
};

// What a duet's file says of a side.
inline std::optional<unsigned> layouts_used(const SideLayouts& side) {
  return side.count > 0 ? std::optional(side.count) : std::nullopt;
}

// The numbers of the layouts in the order in which rounds use them, all of them once; it depends on
// the seed alone.
std::vector<unsigned> layout_order(unsigned count, std::uint64_t seed);

// Puts layouts in place, and at its end what the build made.
class PlacedLayouts {
 public:
  // Both sides have the same number of layouts, or none; files of one build may occur on both.
  // Throws Error otherwise. The references must outlive the object.
  PlacedLayouts(const SideLayouts& a, const SideLayouts& b, std::uint64_t seed);
  ~PlacedLayouts();
  PlacedLayouts(const PlacedLayouts&) = delete;
  PlacedLayouts& operator=(const PlacedLayouts&) = delete;

  // The number of a round's pair, which is that of the layout on both sides; nothing where the
  // sides have none.
  std::optional<unsigned> pair_of(unsigned round) const;

  // Puts the layouts of this round in place. Throws Error.
  void place(unsigned round);

 private:
  void restore() noexcept;

  const SideLayouts& a_;
  const SideLayouts& b_;
  std::vector<unsigned> order_;
};

}  // namespace tailgate
