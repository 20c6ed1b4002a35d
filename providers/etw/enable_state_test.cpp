#include "providers/etw/enable_state.h"

#include <catch2/catch.hpp>

namespace tailgate::etw {
namespace {

constexpr std::uint64_t kKeyword = 0b100;
constexpr std::uint8_t kInformation = 4;

TEST_CASE("the enable callback's level and keywords say whether events are listened to") {
  EnableState state(kKeyword);
  CHECK_FALSE(state.listens(kInformation));
  struct Told {
    std::uint8_t level;
    std::uint64_t any, all;
    bool listens;
  };
  const auto [level, any, all, listens] = GENERATE(
      Told{0, 0, 0, true}, Told{kInformation, 0, 0, true}, Told{kInformation - 1, 0, 0, false},
      Told{5, kKeyword, 0, true}, Told{5, 0b110, kKeyword, true}, Told{5, 0b011, 0, false},
      Told{5, kKeyword, 0b101, false});
  state.told(1, level, any, all);
  CHECK(state.listens(kInformation) == listens);
  state.told(0, level, any, all);
  CHECK_FALSE(state.listens(kInformation));
}

TEST_CASE("a request for the provider's state changes nothing of who listens") {
  EnableState state(kKeyword);
  state.told(2, 0, 0, 0);
  CHECK_FALSE(state.listens(kInformation));
  state.told(1, kInformation, kKeyword, 0);
  state.told(2, 0, 0b011, 0);
  CHECK(state.listens(kInformation));
}

}  // namespace
}  // namespace tailgate::etw
