#include "harness/base/mark_longest.h"

#include <catch2/catch.hpp>

namespace tailgate {
namespace {

std::vector<bool> marked(const std::vector<int>& lengths, std::size_t count) {
  return mark_longest(lengths.begin(), lengths.end(), count, [](int length) { return length; });
}

TEST_CASE("the longest parts are marked where they stand") {
  CHECK(marked({3, 9, 1, 7}, 2) == std::vector<bool>{false, true, false, true});
  CHECK(marked({3, 9, 1, 7}, 3) == std::vector<bool>{true, true, false, true});
}

TEST_CASE("of equally long parts the earlier ones are marked, and never in place of a longer one") {
  CHECK(marked({5, 5, 5}, 2) == std::vector<bool>{true, true, false});
  CHECK(marked({5, 5, 5, 8}, 2) == std::vector<bool>{true, false, false, true});
}

TEST_CASE("all parts are marked where there are no more, and none of none") {
  CHECK(marked({2, 1}, 2) == std::vector<bool>{true, true});
  CHECK(marked({2, 1}, 9) == std::vector<bool>{true, true});
  CHECK(marked({2, 1}, 0) == std::vector<bool>{false, false});
  CHECK(marked({}, 4).empty());
}

}  // namespace
}  // namespace tailgate
