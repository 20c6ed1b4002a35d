#include "harness/project/layout_script.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <string>

namespace tailgate {
namespace {

using Catch::Matchers::Contains;

// As GNU ld 2.40 writes it: what was discarded comes first, long names stand alone, and the pieces
// of an archive are in parentheses.
constexpr const char* kMap = R"(Archive member included to satisfy reference by file (symbol)

libb.a(b.o)                   a.o (bb)

Discarded input sections

 .text._Z3dupv  0x0000000000000000       0x12 b.o

Memory Configuration

Linker script and memory map

LOAD a.o
                0x0000000000000000                __ehdr_start = SEGMENT_START
.init           0x0000000000001000       0x17
 *(SORT_NONE(.init))
 .init          0x0000000000001000       0x12 /usr/lib/crti.o

.text           0x0000000000001050      0x1f0
 *(.text.unlikely .text.*_unlikely .text.unlikely.*)
 .text.unlikely
                0x0000000000001050       0x10 a.o
 *(.text.startup .text.startup.*)
 .text.startup.main
                0x0000000000001060       0x26 a.o
 *(.text .stub .text.* .gnu.linkonce.t.*)
 .text          0x0000000000001090        0x0 a.o
 .text.fa       0x0000000000001090       0x11 a.o
                0x0000000000001090                fa
 *fill*         0x00000000000010a1        0xf
 .text.hot.fb   0x00000000000010b0       0x12 my folder/a.o
 .text._ZNK8tailgate4MoreIiE4moreEv
                0x00000000000010d0       0x30 libb.a(b.o)

.rodata         0x0000000000002000       0x40
 *(.rodata .rodata.* .gnu.linkonce.r.*)
 .rodata        0x0000000000002000       0x20 a.o
 .rodata.str1.8
                0x0000000000002020       0x20 a.o

.data.rel.ro    0x0000000000003000       0x20
 .data.rel.ro.x
                0x0000000000003000       0x20 a.o

.data           0x0000000000004000       0x20
 .data.rel.ro.y
                0x0000000000004000       0x10 a.o
 .data          0x0000000000004010       0x10 /tmp/ccAb12.ltrans3.ltrans.o
OUTPUT(app elf64-x86-64)
)";

const std::vector<LinkedSection> kSections = {
    {".text", ".text.fa", "a.o", ""},
    {".text", ".text.hot.fb", "my folder/a.o", ""},
    {".text", ".text._ZNK8tailgate4MoreIiE4moreEv", "libb.a", "b.o"},
    {".rodata", ".rodata", "a.o", ""},
    {".data", ".data", "/tmp/ccAb12.ltrans3.ltrans.o", ""}};

TEST_CASE("a map's sections that may be moved") {
  CHECK(read_link_map(kMap) == kSections);
}

TEST_CASE("what is no map has no sections") {
  CHECK(read_link_map("").empty());
  CHECK(read_link_map("Linker script and memory map").empty());
  const std::string head = "Linker script and memory map\n.text 0x1 0x2\n";
  for (const char* line : {" .text.f", " .text.f 0x", " .text.f 0xg 0x1 a.o", " .text.f 0x1 0x1",
                           " .text.f 0x1 0x1 ", "\t.text.f", " ", "  .text.f 0x1 0x1 a.o"}) {
    CHECK(read_link_map(head + line).empty());
  }
  // A name whose rest never comes is not given to what follows.
  CHECK(read_link_map(head + " .text.f\n\n                0x10 0x20 a.o\n").empty());
  CHECK(read_link_map(head + " .text.f\n.data\n                0x10 0x20 a.o\n").empty());
}

TEST_CASE("a script names every section once, with patterns that its own marks do not change") {
  const std::string script = layout_script(kSections, 3, "");
  for (const char* statement :
       {" a.o(.text.fa)\n", " my?folder/a.o(.text.hot.fb)\n",
        " libb.a:b.o(.text._ZNK8tailgate4MoreIiE4moreEv)\n", " a.o(.rodata)\n",
        " *.ltrans3.ltrans.o(.data)\n", "INSERT BEFORE .text;", "INSERT BEFORE .rodata;",
        "INSERT BEFORE .data;"}) {
    const std::size_t at = script.find(statement);
    CHECK(at != std::string::npos);
    CHECK(script.find(statement, at + 1) == std::string::npos);
  }
  CHECK(script.find(".bss") == std::string::npos);
  CHECK(script.find("hot.fb") < script.find(".text.fa"));
  CHECK_THAT(layout_script({{".text", ".text.f", "a*[b:c];.o", "d(e).o"}}, 0, ""),
             Contains(" a??b?c??.o:d?e?.o(.text.f)\n"));
}

std::vector<LinkedSection> functions(int count) {
  std::vector<LinkedSection> sections;
  for (int i = 0; i < count; ++i) {
    sections.push_back({".text", ".text.f" + std::to_string(i), "/base/x/a.o", ""});
  }
  return sections;
}

// The names of the sections in the script's order.
std::vector<std::string> order_in(const std::string& script) {
  std::vector<std::string> order;
  for (std::size_t at = script.find("a.o("); at != std::string::npos;
       at = script.find("a.o(", at + 1)) {
    order.push_back(script.substr(at + 4, script.find(')', at) - at - 4));
  }
  return order;
}

TEST_CASE("a layout is always the same, and no two are") {
  const auto sections = functions(200);
  std::set<std::string> scripts;
  for (unsigned number = 0; number < 15; ++number) {
    const std::string script = layout_script(sections, number, "");
    CHECK(script == layout_script(sections, number, ""));
    CHECK(order_in(script).size() == sections.size());
    scripts.insert(script);
  }
  CHECK(scripts.size() == 15);
}

// Every function is in the first half as often as chance has it: 15 of 30, within five standard
// deviations of 2.7.
TEST_CASE("the order has no favourites") {
  const auto sections = functions(50);
  std::map<std::string, int> early;
  for (unsigned number = 0; number < 30; ++number) {
    const auto order = order_in(layout_script(sections, number, ""));
    for (std::size_t i = 0; i < 25; ++i) ++early[order[i]];
  }
  CHECK(early.size() == 50);
  for (const auto& [name, times] : early) CHECK(std::abs(times - 15) <= 13);
}

// Builds of two commits have other roots, and what both contain stays in the same order.
TEST_CASE("a function more leaves the others where they are among themselves") {
  auto sections = functions(100);
  const auto before = order_in(layout_script(sections, 7, "/base/"));
  for (LinkedSection& section : sections) section.file = "/elsewhere/x/a.o";
  sections.insert(sections.begin() + 40, {".text", ".text.more", "/elsewhere/x/a.o", ""});
  auto after = order_in(layout_script(sections, 7, "/elsewhere/"));
  CHECK(std::erase(after, ".text.more") == 1);
  CHECK(after == before);
}

}  // namespace
}  // namespace tailgate
