#include "harness/base/enum_text.h"

#include <catch2/catch.hpp>

namespace tailgate {

enum class Fruit { apple, pear, quince };
enum class Bare { one };

template <>
inline constexpr auto kEnumTexts<Fruit> = enum_texts<Fruit>({{Fruit::apple, "apple"},
                                                             {Fruit::pear, "a pear"},
                                                             {Fruit::quince, "quince"}});

namespace {

static_assert(TextEnum<Fruit>);
static_assert(!TextEnum<Bare> && !TextEnum<int>);
static_assert(enum_text(Fruit::pear) == "a pear");
// An incomplete table does not compile because the value after the last one is not an enumerator.
static_assert(is_enumerator<Fruit::quince>() && !is_enumerator<static_cast<Fruit>(3)>());

TEST_CASE("an enum's text is converted back to its value") {
  for (const Fruit fruit : {Fruit::apple, Fruit::pear, Fruit::quince}) {
    CHECK(enum_value<Fruit>(enum_text(fruit)) == fruit);
  }
  CHECK(enum_choices<Fruit>() == std::vector<std::string>{"apple", "a pear", "quince"});
}

TEST_CASE("an unknown text and a number beyond the values are rejected") {
  CHECK_FALSE(enum_value<Fruit>("pear"));
  CHECK_FALSE(enum_value<Fruit>(""));
  CHECK_THROWS_AS(enum_text(static_cast<Fruit>(3)), std::logic_error);
}

}  // namespace
}  // namespace tailgate
