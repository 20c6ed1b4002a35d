#include "providers/synthetic/delay_law.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "harness/base/error.h"
#include "harness/sink/sink.h"
#include "providers/testing/sinks.h"

namespace tailgate {
namespace {

constexpr std::size_t kDraws = 20000;

std::vector<double> draws(const DelayLaw& law, std::uint64_t seed = 1) {
  DelayRandom random(seed);
  std::vector<double> values;
  for (std::size_t i = 0; i < kDraws; ++i) {
    values.push_back(static_cast<double>(law.draw_ns(random)));
  }
  std::sort(values.begin(), values.end());
  return values;
}

// The Kolmogorov-Smirnov distance of the sorted values from a distribution function.
double distance(const std::vector<double>& values, const std::function<double(double)>& cdf) {
  double largest = 0;
  const auto n = static_cast<double>(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double expected = cdf(values[i]);
    largest = std::max({largest, std::abs(expected - static_cast<double>(i) / n),
                        std::abs(expected - static_cast<double>(i + 1) / n)});
  }
  return largest;
}

// A sample of the true distribution exceeds this distance with a probability of one in a million:
// sqrt(-ln(p / 2) / 2) / sqrt(n), Kolmogorov's asymptotic law.
const double kLimit = std::sqrt(-std::log(0.5e-6) / 2 / double{kDraws});

constexpr double kServiceNs = 1e6;  // large, so that rounding to whole ns does not matter

TEST_CASE("each law draws from the distribution that it names") {
  CHECK(draws({.shape = DelayShape::fixed, .service_ns = 500}).front() == 500);
  CHECK(draws({.shape = DelayShape::fixed, .service_ns = 500}).back() == 500);
  CHECK(distance(draws({.shape = DelayShape::uniform, .service_ns = kServiceNs}),
                 [](double x) { return std::clamp(x / (2 * kServiceNs), 0.0, 1.0); }) < kLimit);
  CHECK(distance(draws({.shape = DelayShape::exponential, .service_ns = kServiceNs}),
                 [](double x) { return 1 - std::exp(-x / kServiceNs); }) < kLimit);
  constexpr double kSigma = 0.7;
  CHECK(distance(draws({.shape = DelayShape::lognormal, .service_ns = kServiceNs, .sigma = kSigma}),
                 [](double x) {
                   return 0.5 * std::erfc(-std::log(x / kServiceNs) / (kSigma * std::sqrt(2.0)));
                 }) < kLimit);
}

TEST_CASE("slow_share is the share of slow calls and leaves the others unchanged") {
  const DelayLaw law = {
      .shape = DelayShape::fixed, .service_ns = 500, .slow_share = 0.01, .slow_ns = 100000};
  const std::vector<double> values = draws(law);
  const auto slow = static_cast<double>(std::count(values.begin(), values.end(), 100000.0));
  // Binomial: five standard deviations around n p.
  CHECK(std::abs(slow - 0.01 * kDraws) < 5 * std::sqrt(0.01 * 0.99 * kDraws));
  CHECK(values.front() == 500);
  CHECK(draws({.service_ns = 500, .slow_share = 1, .slow_ns = 7}).back() == 7);
}

TEST_CASE("the same seed repeats the delays, another seed changes them") {
  const DelayLaw law = {.shape = DelayShape::exponential, .service_ns = kServiceNs};
  CHECK(draws(law, 5) == draws(law, 5));
  CHECK(draws(law, 5) != draws(law, 6));
  for (const std::uint64_t seed : {std::uint64_t{0}, ~std::uint64_t{0}}) {
    DelayRandom random(seed);
    for (int i = 0; i < 1000; ++i) {
      const double unit = random.next_unit();
      REQUIRE(unit > 0);
      REQUIRE(unit <= 1);
    }
  }
}

TEST_CASE("stalls begin and end as planned") {
  const StallPlan plan = {.length_ns = 100, .period_ns = 1000, .first_ns = 500};
  const auto release = [&](std::uint64_t now_ns) { return plan.release_ns(10000, now_ns); };
  CHECK(release(10000) == 10000);
  CHECK(release(10499) == 10499);
  CHECK(release(10500) == 10600);
  CHECK(release(10599) == 10600);
  CHECK(release(10600) == 10600);
  CHECK(release(11499) == 11499);
  CHECK(release(11550) == 11600);
  CHECK(release(9000) == 9000);  // before the origin, as the clock of another core may be
  const StallPlan once = {.length_ns = 100, .period_ns = 0, .first_ns = 500};
  CHECK(once.release_ns(0, 550) == 600);
  CHECK(once.release_ns(0, 1550) == 1550);
  CHECK(StallPlan{}.release_ns(0, 550) == 550);
}

TEST_CASE("the options are read into the law and the stall plan") {
  Options options(test_sinks().find("synthetic")->options(), "sink 'synthetic'");
  options.set("stall_ms", "100");
  options.set("stall_every_s", "1");
  options.set("stall_first_s", "0.5");
  const StallPlan plan = stall_plan(options);
  CHECK(plan.length_ns == 100'000'000);
  CHECK(plan.period_ns == 1'000'000'000);
  CHECK(plan.first_ns == 500'000'000);
  options.set("stall_ms", "1000");
  CHECK_THROWS_WITH(stall_plan(options), Catch::Contains("1000") && Catch::Contains("shorter"));
  options.set("law", "lognormal");
  options.set("service_ns", "2k");
  const DelayLaw law = delay_law(options);
  CHECK(law.shape == DelayShape::lognormal);
  CHECK(law.service_ns == 2000);
}

}  // namespace
}  // namespace tailgate
