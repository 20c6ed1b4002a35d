#include "harness/etl/modules.h"

#include <catch2/catch.hpp>
#include <string>

using namespace tailgate::etl;

namespace {

constexpr std::uint32_t kMostImages = 65'536;
constexpr std::uint32_t kMostOutside = 16'384;

}  // namespace

TEST_CASE("modules: a name that several images share is kept once") {
  const std::string name(100, 'n');  // of which 41,943 take 4 MB
  Modules modules;
  for (std::uint32_t process = 1; process <= kMostImages; ++process) {
    modules.add_image(process, 0x10000, 0x1000, name);
  }
  CHECK(modules.over_limit() == 0);
  modules.add_image(1, 0x10000, 0x1000, "newer.dll");
  CHECK(modules.over_limit() == 0);
  modules.add_image(1, 0x20000, 0x1000, name);
  CHECK(modules.over_limit() == 1);
  modules.finish();
  CHECK(modules.size() == 2);
  CHECK(modules[modules.place_of(1, 0x10010).module].name == "newer.dll");
  CHECK(modules[modules.place_of(kMostImages, 0x10010).module].name == name);
}

TEST_CASE("modules: a long name with many PDBs stays within the limit") {
  const std::string name(60'000, 'n');
  Modules modules;
  for (std::uint32_t process = 1; process <= 1000; ++process) {
    modules.add_image(process, 0x10000, 0x1000, name);
    modules.add_pdb(process, 0x10000, "n.pdb", std::to_string(process));
  }
  modules.finish();
  CHECK(modules.over_limit() > 900);
  CHECK(modules.size() < 100);
  CHECK(modules[modules.place_of(1, 0x10010).module].pdb == "n.pdb");
  CHECK(modules[modules.place_of(1000, 0x10010).module].pdb.empty());
}

TEST_CASE("modules: of many processes with addresses in no image the last share a module") {
  Modules modules;
  modules.finish();
  for (std::uint32_t process = 1; process <= kMostOutside; ++process) {
    const Modules::Place place = modules.place_of(process, process);
    CHECK(modules[place.module].process == process);
  }
  const Modules::Place one = modules.place_of(kMostOutside + 1, 0x123);
  const Modules::Place other = modules.place_of(kMostOutside + 2, 0x456);
  CHECK(one.module == other.module);
  CHECK(modules[one.module].process == Module::kNoProcess);
  CHECK(one.offset == 0x123);
  CHECK(modules[modules.place_of(1, 1).module].process == 1);
}
