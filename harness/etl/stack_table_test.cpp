#include "harness/etl/stack_table.h"

#include <catch2/catch.hpp>
#include <map>

using namespace tailgate::etl;

namespace {

using Frames = std::vector<std::uint32_t>;
using Samples = std::map<std::pair<std::uint32_t, Frames>, std::uint64_t>;

Samples samples_of(const StackTable& table) {
  Samples samples;
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    const auto frames = table.frames(i);
    const std::pair key(table.process(i), Frames(frames.begin(), frames.end()));
    CHECK(samples.emplace(key, table.samples(i)).second);
  }
  return samples;
}

constexpr std::uint32_t kNoRoom = 0;

void add(StackTable& table, std::uint32_t process, const Frames& frames, std::uint64_t samples) {
  CHECK(table.add(process, frames, samples, kNoRoom));
}

}  // namespace

TEST_CASE("stack table: equal stacks of one process are one") {
  StackTable table;
  add(table, 500, {3, 2, 1}, 1);
  add(table, 500, {3, 2, 1}, 2);
  add(table, 500, {2, 1}, 4);
  add(table, 600, {3, 2, 1}, 8);
  add(table, 600, {}, 16);
  CHECK(samples_of(table) ==
        Samples{{{500, {3, 2, 1}}, 3}, {{500, {2, 1}}, 4}, {{600, {3, 2, 1}}, 8}, {{600, {}}, 16}});
}

TEST_CASE("stack table: frames of one name make their stacks one") {
  StackTable table;
  add(table, 1, {3, 1}, 1);
  add(table, 1, {4, 2}, 2);
  add(table, 1, {5, 2}, 4);
  add(table, 2, {4, 1}, 8);
  table.rename_frames({0, 1, 1, 3, 3, 5});
  const Samples expected = {{{1, {3, 1}}, 3}, {{1, {5, 1}}, 4}, {{2, {3, 1}}, 8}};
  CHECK(samples_of(table) == expected);
  // It goes on finding them.
  add(table, 1, {5, 1}, 1);
  CHECK(table.size() == 3);
}

TEST_CASE("stack table: what has no room is counted at its process") {
  StackTable table;
  Frames frames(1000);
  constexpr std::uint32_t kStacks = StackTable::kMaxFrames / 1000 + 10;
  for (std::uint32_t i = 1; i <= kStacks; ++i) {
    frames[i % 1000] = i;
    add(table, 7, frames, 1);
  }
  const Samples samples = samples_of(table);
  CHECK(samples.at({7, {kNoRoom}}) == kStacks - StackTable::kMaxFrames / 1000);
  CHECK(samples.size() == StackTable::kMaxFrames / 1000 + 1);
}

TEST_CASE("stack table: processes without room are refused") {
  StackTable table;
  std::uint32_t added = 0;
  while (table.add(added, {}, 1, kNoRoom)) ++added;
  CHECK(added == StackTable::kMaxStacks + StackTable::kMaxExtraStacks);
}

TEST_CASE("frame table: numbers in order of coming, up to a limit") {
  FrameTable table;
  for (std::uint32_t i = 0; i < 5000; ++i) CHECK(table.number_of({i / 2, i % 2}, 5000) == i);
  CHECK(table.number_of({7, 1}, 5000) == 15);
  CHECK_FALSE(table.number_of({7, 2}, 5000));
  CHECK(table[15] == FrameTable::Frame{7, 1});
}
