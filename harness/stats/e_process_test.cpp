#include "harness/stats/e_process.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <stdexcept>
#include <vector>

namespace tailgate {
namespace {

// The integral from 1/2 to 1 of 2 (2 q)^s (2 (1 - q))^(n - s) dq: by hand for one and two rounds.
TEST_CASE("evidence of the first rounds by hand") {
  CHECK(std::exp(log_sign_evidence(0, 0)) == Approx(1));
  CHECK(std::exp(log_sign_evidence(1, 1)) == Approx(3.0 / 2));
  CHECK(std::exp(log_sign_evidence(0, 1)) == Approx(1.0 / 2));
  CHECK(std::exp(log_sign_evidence(2, 2)) == Approx(7.0 / 3));
  CHECK(std::exp(log_sign_evidence(1, 2)) == Approx(2.0 / 3));
  CHECK(std::exp(log_sign_evidence(0, 2)) == Approx(1.0 / 3));
}

// A fair coin's next toss leaves the mean as it was: a martingale, from every state.
TEST_CASE("a fair coin neither gains nor loses evidence") {
  const std::uint64_t rounds = GENERATE(0U, 1U, 7U, 49U, 500U);
  for (std::uint64_t above = 0; above <= rounds; above += 1 + rounds / 10) {
    const double now = log_sign_evidence(above, rounds);
    const double heads = log_sign_evidence(above + 1, rounds + 1);
    const double tails = log_sign_evidence(above, rounds + 1);
    CHECK((std::exp(heads - now) + std::exp(tails - now)) / 2 == Approx(1).epsilon(1e-9));
  }
}

TEST_CASE("evidence grows with the rounds above and stays finite") {
  double last = log_sign_evidence(0, 200);
  for (std::uint64_t above = 1; above <= 200; ++above) {
    const double next = log_sign_evidence(above, 200);
    CHECK(std::isfinite(next));
    CHECK(next > last);
    last = next;
  }
}

// Ville's bound at 1/100, with 20 metrics that one coin moves together: 2000 walks of 100 rounds
// may cross 20 times; four standard errors more are 38.
TEST_CASE("looking after every round rarely finds what is not there") {
  std::mt19937_64 random(3);
  int crossed = 0;
  for (int walk = 0; walk < 2000; ++walk) {
    std::uint64_t above = 0;
    for (std::uint64_t round = 1; round <= 100; ++round) {
      above += random() >> 63;
      const std::vector<double> same(20, log_sign_evidence(above, round));
      if (log_mean_evidence(same) >= std::log(100.0)) {
        ++crossed;
        break;
      }
    }
  }
  CHECK(crossed <= 38);
}

TEST_CASE("the mean of evidences") {
  CHECK(std::exp(log_mean_evidence(std::vector<double>{std::log(1.0), std::log(3.0)})) ==
        Approx(2));
  CHECK(log_mean_evidence(std::vector<double>{800, 0}) == Approx(800 - std::log(2.0)));
  CHECK_THROWS_AS(log_mean_evidence(std::vector<double>{}), std::invalid_argument);
  CHECK_THROWS_AS(log_sign_evidence(2, 1), std::invalid_argument);
}

}  // namespace
}  // namespace tailgate
