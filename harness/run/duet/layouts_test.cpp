#include "harness/run/duet/layouts.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "harness/base/error.h"
#include "harness/base/file_text.h"
#include "harness/os/atomic_file.h"
#include "harness/os/private_folder.h"
#include "harness/os/remove_folder.h"

namespace tailgate {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kCount = 15;

// A build of one file, in a folder that is removed.
class BuildFolder {
 public:
  explicit BuildFolder(const std::string& name) : folder_(fs::temp_directory_path() / name) {
    remove_folder(folder_);
    fs::create_directories(folder_ / "layouts");
    write_file_atomically(file(), "made");
    write_file_atomically(folder_ / "layouts/as-built", "made");
    for (unsigned i = 0; i < kCount; ++i) {
      write_file_atomically(folder_ / "layouts" / std::to_string(i), "layout " + std::to_string(i));
    }
  }
  ~BuildFolder() { remove_folder(folder_); }
  BuildFolder(const BuildFolder&) = delete;
  BuildFolder& operator=(const BuildFolder&) = delete;

  fs::path file() const { return folder_ / "program"; }
  fs::path layouts() const { return folder_ / "layouts"; }
  SideLayouts side() const { return {kCount, {{file(), layouts(), "as-built"}}}; }

 private:
  fs::path folder_;
};

TEST_CASE("an order has every layout once and follows from the seed") {
  std::vector<unsigned> order = layout_order(kCount, 7);
  CHECK(order == layout_order(kCount, 7));
  CHECK(order != layout_order(kCount, 8));
  std::sort(order.begin(), order.end());
  for (unsigned i = 0; i < kCount; ++i) CHECK(order[i] == i);
  CHECK(layout_order(0, 7).empty());
}

TEST_CASE("rounds have layouts in place, the same number on both sides, and in the end the build") {
  const BuildFolder a("tailgate-layouts-a");
  const BuildFolder b("tailgate-layouts-b");
  const SideLayouts side_a = a.side();
  const SideLayouts side_b = b.side();
  std::set<unsigned> seen;
  {
    PlacedLayouts placed(side_a, side_b, 3);
    for (unsigned round = 0; round < 2 * kCount; ++round) {
      placed.place(round);
      const auto pair = placed.pair_of(round);
      REQUIRE(pair);
      seen.insert(*pair);
      CHECK(*pair == layout_order(kCount, 3)[round % kCount]);
      CHECK(file_text(a.file()) == "layout " + std::to_string(*pair));
      CHECK(file_text(b.file()) == file_text(a.file()));
    }
  }
  CHECK(seen.size() == kCount);
  CHECK(file_text(a.file()) == "made");
  CHECK(file_text(b.file()) == "made");
  CHECK(std::distance(fs::directory_iterator(a.file().parent_path()), {}) == 2);
}

TEST_CASE("a layout that is missing is an error, and what the build made is put back") {
  const BuildFolder a("tailgate-layouts-c");
  const SideLayouts side = a.side();
  fs::remove(a.layouts() / std::to_string(layout_order(kCount, 3)[1]));
  {
    PlacedLayouts placed(side, side, 3);
    placed.place(0);
    CHECK_THROWS_AS(placed.place(1), Error);
  }
  CHECK(file_text(a.file()) == "made");
}

TEST_CASE("sides without layouts have no pair, and their numbers must be equal") {
  const SideLayouts none;
  const SideLayouts some{kCount, {}};
  PlacedLayouts placed(none, none, 3);
  placed.place(0);
  CHECK(!placed.pair_of(0));
  CHECK_THROWS_AS(PlacedLayouts(none, some, 3), Error);
}

}  // namespace
}  // namespace tailgate
