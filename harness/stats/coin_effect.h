// What a coin decides in each round, such as which side starts first, may have an effect of its
// own. A pure function.
#pragma once

#include <vector>

namespace tailgate {

// Returns the effects without the part that follows the coin, if it is significant (three times its
// standard error): the mean of effect * coin, with coin = 1 or -1. Effects that are not a number
// stay.
//
// Sign flips of the result stay exact: to exchange a round's sides turns both its effect and its
// coin round, so the product and its mean stay the same. Coins are not
// balanced over rounds, since only independent ones let each round be flipped by itself.
// As many coins as effects; throws std::invalid_argument.
std::vector<double> without_coin_effect(std::vector<double> effects, const std::vector<int>& coins);

}  // namespace tailgate
