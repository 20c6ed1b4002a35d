#include "harness/run/duet/layouts.h"

#include <fmt/format.h>

#include <cstddef>
#include <numeric>
#include <random>
#include <system_error>
#include <utility>

#include "harness/base/error.h"

namespace tailgate {
namespace {

namespace fs = std::filesystem;

// Whole or not at all: what runs already keeps the file that it has.
void put(const LayoutFile& target, const std::string& name) {
  const fs::path from = target.folder / name;
  const fs::path passing =
      target.file.parent_path() / (target.file.filename().string() + ".layout");
  std::error_code failed;
  fs::remove(passing, failed);
  // A link has the file's pages in the cache already; across file systems it takes a copy.
  fs::create_hard_link(from, passing, failed);
  if (failed) fs::copy_file(from, passing, failed);
  if (!failed) fs::rename(passing, target.file, failed);
  if (failed) {
    throw Error(fmt::format("the layout '{}' cannot be put at '{}': {}", from.string(),
                            target.file.string(), failed.message()),
                "see that the folder of builds is whole and writable, or remove it");
  }
}

}  // namespace

std::vector<unsigned> layout_order(unsigned count, std::uint64_t seed) {
  std::vector<unsigned> order(count);
  std::iota(order.begin(), order.end(), 0u);
  // Apart from the coins of the rounds, which begin with the same seed.
  std::seed_seq sequence{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                         std::uint32_t{0x1a707}, static_cast<std::uint32_t>(count)};
  std::mt19937_64 random(sequence);
  for (std::size_t left = order.size(); left > 1; --left) {
    std::swap(order[left - 1], order[random() % left]);
  }
  return order;
}

PlacedLayouts::PlacedLayouts(const SideLayouts& a, const SideLayouts& b, std::uint64_t seed)
    : a_(a), b_(b), order_(layout_order(a.count, seed)) {
  if (a.count == b.count) return;
  throw Error(fmt::format("side A has {} layouts, side B has {}", a.count, b.count),
              "build both with the same number");
}

PlacedLayouts::~PlacedLayouts() {
  restore();
}

std::optional<unsigned> PlacedLayouts::pair_of(unsigned round) const {
  if (order_.empty()) return {};
  return order_[round % order_.size()];
}

void PlacedLayouts::place(unsigned round) {
  const std::optional<unsigned> pair = pair_of(round);
  if (!pair) return;
  for (const SideLayouts* side : {&a_, &b_}) {
    for (const LayoutFile& target : side->files) put(target, fmt::format("{}", *pair));
  }
}

void PlacedLayouts::restore() noexcept {
  for (const SideLayouts* side : {&a_, &b_}) {
    for (const LayoutFile& target : side->files) {
      try {
        put(target, target.as_built);
      } catch (const Error&) {
        // The next round that needs the file says so.
      }
    }
  }
}

}  // namespace tailgate
