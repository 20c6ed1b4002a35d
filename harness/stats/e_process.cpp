#include "harness/stats/e_process.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "harness/stats/mean_interval.h"

namespace tailgate {

double log_sign_evidence(std::uint64_t above, std::uint64_t rounds) {
  // Beyond, the chance of the upper half may be too small for a double.
  constexpr std::uint64_t kMostRounds = 1000;
  if (above > rounds || rounds > kMostRounds) {
    throw std::invalid_argument("log_sign_evidence: above of at most 1000 rounds");
  }
  const double a = static_cast<double>(above) + 1;
  const double b = static_cast<double>(rounds - above) + 1;
  const double upper_half = incomplete_beta(0.5, b, a);
  return (a + b - 1) * std::log(2.0) + std::lgamma(a) + std::lgamma(b) - std::lgamma(a + b) +
         std::log(upper_half);
}

double log_mean_evidence(std::span<const double> log_evidences) {
  if (log_evidences.empty()) throw std::invalid_argument("log_mean_evidence: one or more");
  const double largest = *std::max_element(log_evidences.begin(), log_evidences.end());
  double sum = 0;
  for (const double evidence : log_evidences) sum += std::exp(evidence - largest);
  return largest + std::log(sum / static_cast<double>(log_evidences.size()));
}

}  // namespace tailgate
