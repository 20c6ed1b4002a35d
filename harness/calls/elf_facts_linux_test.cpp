// Against the files of this build: the floor's program is bound lazily, as its link says.
#include "harness/calls/elf_facts.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <vector>

#include "harness/os/install_paths.h"

namespace tailgate {
namespace {

std::vector<char> content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("a program that is bound lazily calls its functions through a table") {
  const std::vector<char> file = content(own_helper("tailgate-floor"));
  const auto facts = read_elf_facts(std::as_bytes(std::span(file)));
  REQUIRE(facts);
  CHECK(facts->dynamic);
  CHECK_FALSE(facts->bind_now);
  CHECK(facts->by_table.contains("tailgate_nothing"));
  CHECK(facts->by_table.contains("qsort"));
  CHECK_FALSE(facts->by_table.contains("main"));
}

TEST_CASE("what is no ELF file has no facts, and a cut one those that are left") {
  CHECK_FALSE(read_elf_facts({}));
  const std::vector<char> script = {'#', '!', '/', 'b', 'i', 'n', '/', 's', 'h'};
  CHECK_FALSE(read_elf_facts(std::as_bytes(std::span(script))));
  std::vector<char> file = content(own_helper("tailgate-floor"));
  file.resize(64);
  const auto facts = read_elf_facts(std::as_bytes(std::span(file)));
  REQUIRE(facts);
  CHECK_FALSE(facts->dynamic);
  CHECK(facts->by_table.empty());
}

}  // namespace tailgate
