#include "harness/etl/symbol_text.h"

#include <catch2/catch.hpp>
#include <string>
#include <tuple>
#include <vector>

using namespace tailgate::etl;

namespace {

using Row = std::tuple<std::uint64_t, std::uint64_t, std::string>;

template <typename Visit>
std::vector<Row> rows_of(Visit visit_all) {
  std::vector<Row> rows;
  visit_all([&rows](const Symbol& symbol) {
    rows.emplace_back(symbol.start, symbol.size_bytes, std::string(symbol.name));
  });
  return rows;
}

}  // namespace

// The lines are of the kinds that docs/symbol_files.md describes.
TEST_CASE("symbols: Breakpad's text") {
  constexpr std::string_view kText =
      "MODULE windows x86_64 CEB225C0769F1F9D4C4C44205044422E1 app.pdb\r\n"
      "INFO CODE_ID 5F5E1A0F2000 app.exe\r\n"
      "FILE 0 c:\\app.c\r\n"
      "FUNC 1000 2f 0 main(int, char **)\r\n"
      "1000 5 12 0\r\n"
      "FUNC m c184 30 8 folded\n"
      "PUBLIC 2000 0 _start\n"
      "PUBLIC m 2010 4 other start\n"
      "STACK CFI INIT 1000 2f .cfa: $rsp 8 +\n"
      "FUNC 3000 0 0 empty\n"
      "FUNC nothing 10 0 bad\n"
      "FUNC 4000\n"
      "PUBLIC 5000 0\n";
  CHECK(breakpad_id(kText) == "CEB225C0769F1F9D4C4C44205044422E1");
  CHECK(rows_of([&](const VisitSymbol& visit) { visit_breakpad(kText, visit); }) ==
        std::vector<Row>{{0x1000, 0x2f, "main(int, char **)"},
                         {0xc184, 0x30, "folded"},
                         {0x2000, 0, "_start"},
                         {0x2010, 0, "other start"}});
  CHECK_FALSE(breakpad_id("FUNC 1000 2f 0 main\n"));
  CHECK_FALSE(breakpad_id("MODULE windows x86_64\n"));
  CHECK_FALSE(breakpad_id(""));
}

TEST_CASE("symbols: perf maps") {
  constexpr std::string_view kText =
      "7f0010 20 LazyCompile:~add /a b.js:1\n"
      "0x7f0030 0x8 thunk\n"
      "7f0040 0 empty\n"
      "zz 8 bad\n"
      "7f0050 8\n"
      "7f0060 10 last";
  CHECK(rows_of([&](const VisitSymbol& visit) { visit_perf_map(kText, visit); }) ==
        std::vector<Row>{{0x7f0010, 0x20, "LazyCompile:~add /a b.js:1"},
                         {0x7f0030, 0x8, "thunk"},
                         {0x7f0060, 0x10, "last"}});
}

// As llvm-pdbutil 14 prints them; symbols_test.cpp runs the program.
TEST_CASE("symbols: what llvm-pdbutil prints") {
  const std::string text =
      "  Age: 3\n  GUID: {CEB225C0-769F-1F9D-4C4C-44205044422E}\n"
      "       0 | S_PUB32 [size = 20] `?a@@YAXXZ`\n"
      "           flags = function, addr = 0002:0048\n"
      "      20 | S_PUB32 [size = 16] `data`\n"
      "           flags = none, addr = 0001:0016\n"
      "      36 | S_PUB32 [size = 16] `asm`\n"
      "           flags = code | function, addr = 0001:0000\n"
      "      52 | S_PUB32 [size = 16] `far`\n"
      "           flags = function, addr = 0009:0000\n"
      "           flags = function, addr = 0001:0000\n"
      "  SECTION HEADER #1\n     .text name\n        44 virtual size\n"
      "      1000 virtual address\n"
      "  SECTION HEADER #2\n    .extra name\n      2F000 virtual address\n"
      "                  Original Section Headers                  \n";
  const auto summary = pdb_summary(text);
  REQUIRE(summary);
  CHECK(summary->guid == "ceb225c0-769f-1f9d-4c4c-44205044422e");
  CHECK(summary->age == 3);
  CHECK(summary->sections == std::vector<std::uint64_t>{0x1000, 0x2F000});
  CHECK_FALSE(summary->rearranged);
  CHECK(rows_of([&](const VisitSymbol& visit) {
          visit_pdb_publics(text, summary->sections, visit);
        }) == std::vector<Row>{{0x2F000 + 48, 0, "?a@@YAXXZ"}, {0x1000, 0, "asm"}});
  CHECK(pdb_summary(text + "  SECTION HEADER #1\n      1000 virtual address\n")->rearranged);
  CHECK_FALSE(pdb_summary("  Age: 3\n"));
  CHECK_FALSE(pdb_summary("  GUID: {CEB225C0-769F-1F9D-4C4C-44205044422E}\n"));
}

TEST_CASE("symbols: an address is in the last function before it that is long enough") {
  NearestSymbols nearest({0x0F, 0x10, 0x1F, 0x20, 0x2F, 0x30, 0x45, 0x100});
  nearest.add({0x40, 0, "public"});
  nearest.add({0x20, 0x10, "sized"});
  nearest.add({0x10, 0, "first"});
  nearest.add({0x20, 0, "same place"});
  nearest.add({0x11, 0, "nearer"});
  nearest.add({0x200, 0, "behind all"});
  CHECK(nearest.names() == std::vector<std::string_view>{"", "first", "nearer", "sized", "sized",
                                                         "", "public", "public"});
}
