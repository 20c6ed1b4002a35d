#include <catch2/catch.hpp>
#include <string>

#include "harness/trial/trial_memory.h"

namespace tailgate {
namespace {

TEST_CASE("a text in shared memory is whole, or ends with dots") {
  SharedText<8> text;
  text.set("1234567");
  CHECK(text.get() == "1234567");
  text.set("12345678");
  CHECK(text.get() == "1234...");
  text.set("");
  CHECK(text.get().empty());
}

TEST_CASE("a text that must not be cut is refused, with its length and the limit") {
  SharedText<8> text;
  text.set_whole("1234567", "a path");
  CHECK(text.get() == "1234567");
  CHECK_THROWS_WITH(text.set_whole("12345678", "a path"),
                    Catch::Contains("a path has 8 bytes; it may have 7"));
  CHECK(text.get() == "1234567");
}

}  // namespace
}  // namespace tailgate
