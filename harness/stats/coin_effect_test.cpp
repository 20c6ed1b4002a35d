#include "harness/stats/coin_effect.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <stdexcept>

namespace tailgate {
namespace {

struct Rounds {
  std::vector<double> effects;
  std::vector<int> coins;
};

Rounds drawn(double effect, double of_coin, std::size_t count) {
  Rounds rounds;
  std::mt19937_64 random(3);
  std::normal_distribution<double> noise(0, 0.02);
  for (std::size_t i = 0; i < count; ++i) {
    rounds.coins.push_back(random() >> 63 != 0 ? 1 : -1);
    rounds.effects.push_back(effect + of_coin * rounds.coins.back() + noise(random));
  }
  return rounds;
}

double deviation(const std::vector<double>& values) {
  double sum = 0;
  double squares = 0;
  for (const double value : values) {
    sum += value;
    squares += value * value;
  }
  const auto count = static_cast<double>(values.size());
  return std::sqrt(squares / count - sum / count * sum / count);
}

TEST_CASE("what follows the coin is taken off, and the effect stays") {
  const Rounds rounds = drawn(0.1, 0.2, 200);
  const std::vector<double> adjusted = without_coin_effect(rounds.effects, rounds.coins);
  CHECK(deviation(rounds.effects) > 0.15);
  CHECK(deviation(adjusted) < 0.03);
  double mean = 0;
  for (const double effect : adjusted) mean += effect / 200;
  CHECK(mean == Approx(0.1).margin(0.01));
}

TEST_CASE("without an effect of the coin nothing changes") {
  const Rounds rounds = drawn(0, 0, 50);
  CHECK(without_coin_effect(rounds.effects, rounds.coins) == rounds.effects);
  const Rounds few = drawn(0, 1, 7);
  CHECK(without_coin_effect(few.effects, few.coins) == few.effects);
}

// What keeps the sign-flip test exact.
TEST_CASE("a round whose sides are exchanged has the opposite effect afterwards, too") {
  Rounds rounds = drawn(0.02, 0.1, 30);
  const std::vector<double> before = without_coin_effect(rounds.effects, rounds.coins);
  for (const std::size_t exchanged : {0u, 7u, 8u, 21u}) {
    rounds.effects[exchanged] *= -1;
    rounds.coins[exchanged] *= -1;
  }
  const std::vector<double> after = without_coin_effect(rounds.effects, rounds.coins);
  for (std::size_t i = 0; i < before.size(); ++i) {
    const bool exchanged = i == 0 || i == 7 || i == 8 || i == 21;
    CHECK(after[i] == Approx(exchanged ? -before[i] : before[i]).margin(1e-12));
  }
}

TEST_CASE("a round without an effect keeps none") {
  Rounds rounds = drawn(0.02, 0.1, 30);
  rounds.effects[4] = NAN;
  const std::vector<double> adjusted = without_coin_effect(rounds.effects, rounds.coins);
  CHECK(std::isnan(adjusted[4]));
  CHECK(std::isfinite(adjusted[5]));
  CHECK_THROWS_AS(without_coin_effect({1}, {}), std::invalid_argument);
}

}  // namespace
}  // namespace tailgate
