// A test that may be looked at after every round. Pure functions.
#pragma once

#include <cstdint>
#include <span>

namespace tailgate {

// The natural logarithm of the evidence that rounds exceed a margin more often than not, `above` of
// `rounds` having done so: ln(2^(n+1) B(s+1, n-s+1) P(Beta(s+1, n-s+1) > 1/2)), the likelihood of a
// chance between 1/2 and 1, all equally likely beforehand, over that of 1/2. While the chance is
// 1/2 or less the evidence's mean never rises, so it ever reaches 1/alpha with probability alpha at
// most, however often one looks (Ville 1939; e.g. Ramdas et al., Statistical Science 38, 2023).
// above <= rounds <= 1000. Throws std::invalid_argument.
double log_sign_evidence(std::uint64_t above, std::uint64_t rounds);

// The logarithm of the mean of the evidences whose logarithms are given: again such a process, for
// "any of the metrics", whatever their dependence. At least one. Throws std::invalid_argument.
double log_mean_evidence(std::span<const double> log_evidences);

}  // namespace tailgate
