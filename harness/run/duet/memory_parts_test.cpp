// Page faults that are made up, so that the memory of each function is known.
#include "harness/run/duet/memory_parts.h"

#include <catch2/catch.hpp>

#include <utility>
#include <vector>

#include "harness/run/duet/system_modules.h"

namespace tailgate {
namespace {

using activity::PartName;
using activity::SideAmounts;

class Faults {
 public:
  // functions: from the one that ran outwards, as "name module".
  Faults& add(std::uint64_t bytes, const std::vector<std::pair<const char*, const char*>>& stack) {
    profile::StackSample& sample = samples.list.emplace_back();
    sample.bytes = bytes;
    for (const auto& [name, module] : stack) {
      sample.functions.push_back(samples.functions.place_of(name, module));
    }
    return *this;
  }

  profile::Samples samples;
};

double sum_of(const SideAmounts& memory) {
  double bytes = 0;
  for (const auto& [part, of_part] : memory.parts) bytes += of_part;
  return bytes;
}

TEST_CASE("memory belongs to the function that took it, not to allocators and containers") {
  Faults faults;
  faults
      .add(3000, {{"__memset_avx2", "libc.so.6"},
                  {"std::vector<char>::resize(unsigned long)", "tailgate"},
                  {"void std::__fill<char>(char*)", "tailgate"},
                  {"Cache::grow(unsigned long)", "mylog.so"},
                  {"Cache::insert()", "mylog.so"},
                  {"main", "tailgate"}})
      .add(1000, {{"clear_page_erms", "kernel"},
                  {"_int_malloc", "libc.so.6"},
                  {"Cache::grow(unsigned long)", "mylog.so"},
                  {"Cache::load()", "mylog.so"}})
      .add(500, {{"_int_malloc", "libc.so.6"}})
      .add(500, {});
  const auto memory = memory_parts(100'000, {.before = 60'000, .after = 70'000}, faults.samples);
  REQUIRE(memory);
  CHECK(memory->whole == 100'000);
  const PartName grow{"memory", "Cache::grow(unsigned long)", "mylog.so"};
  CHECK(memory->parts.at(grow) == 4000);
  CHECK(memory->callers.at(grow).at("Cache::insert()") == Approx(0.75));
  CHECK(memory->callers.at(grow).at("Cache::load()") == Approx(0.25));
  CHECK(memory->parts.at({"memory", "system libraries"}) == 1000);
  CHECK(memory->parts.at({"memory", "before the trace"}) == 60'000);
  CHECK(memory->parts.at({"memory", "daemons"}) == 30'000);
  CHECK(sum_of(*memory) == 95'000);  // 5000 bytes came without a fault that was seen
}

TEST_CASE("pages that had left memory do not count twice") {
  Faults faults;
  faults.add(5000, {{"fill", "mylog.so"}});
  const auto memory = memory_parts(70'000, {.before = 68'000, .after = 70'000}, faults.samples);
  REQUIRE(memory);
  CHECK(memory->parts.at({"memory", "before the trace"}) == 65'000);
  CHECK(sum_of(*memory) == memory->whole);
}

TEST_CASE("memory that nobody counted has no parts") {
  const Faults faults;
  CHECK_FALSE(memory_parts({}, {.before = 1, .after = 2}, faults.samples));
  CHECK_FALSE(memory_parts(10, {.before = 1, .after = {}}, faults.samples));
  CHECK_FALSE(memory_parts(10, {.before = {}, .after = 2}, faults.samples));
}

TEST_CASE("blocks belong to the class of their size, with who allocated them") {
  Faults blocks;
  blocks
      .add(48, {{"malloc", "libc.so.6"},
                {"operator new(unsigned long)", "libstdc++.so.6"},
                {"std::vector<char>::reserve(unsigned long)", "tailgate"},
                {"Cache::insert()", "mylog.so"}})
      .add(64, {{"malloc", "libc.so.6"}, {"Cache::load()", "mylog.so"}})
      .add(65, {{"malloc", "libc.so.6"}, {"Cache::load()", "mylog.so"}})
      .add(65'536, {});
  const SideAmounts allocated = allocation_parts(blocks.samples);
  CHECK(allocated.whole == 48 + 64 + 65 + 65'536);
  CHECK(sum_of(allocated) == allocated.whole);
  const PartName small{"allocated", "blocks of 33 to 64 bytes"};
  CHECK(allocated.parts.at(small) == 112);
  CHECK(allocated.callers.at(small).at("Cache::insert()") == Approx(48.0 / 112));
  CHECK(allocated.callers.at(small).at("Cache::load()") == Approx(64.0 / 112));
  CHECK(allocated.parts.at({"allocated", "blocks of 65 to 128 bytes"}) == 65);
  CHECK(allocated.parts.at({"allocated", "blocks of 32 to 64 KiB"}) == 65'536);
  CHECK(allocated.callers.size() == 2);
}

TEST_CASE("classes of sizes end at powers of two") {
  CHECK(size_class(0) == "blocks of up to 16 bytes");
  CHECK(size_class(16) == "blocks of up to 16 bytes");
  CHECK(size_class(17) == "blocks of 17 to 32 bytes");
  CHECK(size_class(512) == "blocks of 257 to 512 bytes");
  CHECK(size_class(513) == "blocks of 512 bytes to 1 KiB");
  CHECK(size_class(1025) == "blocks of 1 to 2 KiB");
  CHECK(size_class(std::uint64_t{1} << 20) == "blocks of 512 KiB to 1 MiB");
  CHECK(size_class(~std::uint64_t{0}) == "blocks of more than 1024 GiB");
}

TEST_CASE("a function that takes or returns a container is no container") {
  CHECK(is_of_container("std::vector<int, std::allocator<int> >::push_back(int&&)"));
  CHECK(is_of_container("void std::vector<int>::_M_realloc_insert<int>(int*, int&&)"));
  CHECK(is_of_container("__gnu_cxx::new_allocator<char>::allocate(unsigned long)"));
  CHECK_FALSE(is_of_container("Cache::insert(std::vector<char>)"));
  CHECK_FALSE(is_of_container("std_cache::grow()"));
  CHECK_FALSE(is_of_container("void Cache::add<std::string>(std::string)"));
  CHECK_FALSE(is_of_container("tailgate::(anonymous namespace)::Leak::grow(unsigned long)"));
}

}  // namespace
}  // namespace tailgate
