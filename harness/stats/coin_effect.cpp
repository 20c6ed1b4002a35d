#include "harness/stats/coin_effect.h"

#include <cmath>
#include <cstddef>
#include <stdexcept>

namespace tailgate {

std::vector<double> without_coin_effect(std::vector<double> effects,
                                        const std::vector<int>& coins) {
  if (coins.size() != effects.size()) throw std::invalid_argument("a coin for each effect");
  double count = 0;
  double sum = 0;
  double squares = 0;
  for (std::size_t i = 0; i < effects.size(); ++i) {
    if (std::isnan(effects[i])) continue;
    ++count;
    sum += effects[i] * coins[i];
    squares += effects[i] * effects[i];
  }
  constexpr double kFewest = 8;
  if (count < kFewest) return effects;
  const double mean = sum / count;
  const double variance = (squares - count * mean * mean) / (count - 1);
  constexpr double kToldAt = 3;
  if (!(std::abs(mean) > kToldAt * std::sqrt(variance / count))) return effects;
  for (std::size_t i = 0; i < effects.size(); ++i) effects[i] -= mean * coins[i];
  return effects;
}

}  // namespace tailgate
