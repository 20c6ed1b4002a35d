#include "harness/stats/tail_samples.h"

#include <cmath>
#include <stdexcept>

namespace tailgate {
namespace {

constexpr double kSeparation = 5;

}  // namespace

double tail_samples_needed(double effect, double margin) {
  if (!(margin >= 0 && effect > margin)) {
    throw std::invalid_argument("tail_samples_needed: an effect above a margin of at least 0");
  }
  const double distance = std::log((1 + effect) / (1 + margin));
  return kSeparation / distance * (kSeparation / distance);
}

double detectable_effect(double samples, double margin) {
  if (!(samples > 0 && margin >= 0)) {
    throw std::invalid_argument("detectable_effect: samples above 0, a margin of at least 0");
  }
  return (1 + margin) * std::exp(kSeparation / std::sqrt(samples)) - 1;
}

}  // namespace tailgate
