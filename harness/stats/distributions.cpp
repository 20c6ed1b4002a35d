#include "harness/stats/distributions.h"

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <stdexcept>

namespace tailgate {
namespace {

// Everything in double: a long double would differ from system to system, and costs time.
using Policy = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
using Binomial = boost::math::binomial_distribution<double, Policy>;
using FisherF = boost::math::fisher_f_distribution<double, Policy>;
using StudentT = boost::math::students_t_distribution<double, Policy>;

void check_bound(std::uint64_t successes, std::uint64_t trials, double tail) {
  if (trials == 0 || successes > trials || !(tail > 0 && tail < 1)) {
    throw std::invalid_argument("binomial bound: successes of trials, and a tail between 0 and 1");
  }
}

void check_limit(double count, double tail) {
  if (!(count >= 0 && std::isfinite(count) && tail > 0 && tail < 1)) {
    throw std::invalid_argument("Poisson limit: a count, and a tail between 0 and 1");
  }
}

}  // namespace

double student_t_quantile(double p, double degrees) {
  if (!(p > 0 && p < 1 && degrees > 0)) {
    throw std::invalid_argument("student_t_quantile: p between 0 and 1, degrees above 0");
  }
  return boost::math::quantile(StudentT(degrees), p);
}

double fisher_f_quantile(double p, double above, double below) {
  if (!(p > 0 && p < 1 && above > 0 && below > 0)) {
    throw std::invalid_argument("fisher_f_quantile: p between 0 and 1, degrees above 0");
  }
  return boost::math::quantile(FisherF(above, below), p);
}

double binomial_at_most(std::uint64_t successes, std::uint64_t trials, double p) {
  if (successes > trials || !(p >= 0 && p <= 1)) {
    throw std::invalid_argument("binomial_at_most: successes of trials, and p from 0 to 1");
  }
  return boost::math::cdf(Binomial(static_cast<double>(trials), p), static_cast<double>(successes));
}

double binomial_lower_bound(std::uint64_t successes, std::uint64_t trials, double tail) {
  check_bound(successes, trials, tail);
  return Binomial::find_lower_bound_on_p(static_cast<double>(trials),
                                         static_cast<double>(successes), tail);
}

double binomial_upper_bound(std::uint64_t successes, std::uint64_t trials, double tail) {
  check_bound(successes, trials, tail);
  return Binomial::find_upper_bound_on_p(static_cast<double>(trials),
                                         static_cast<double>(successes), tail);
}

double poisson_lower_limit(double count, double tail) {
  check_limit(count, tail);
  return count == 0 ? 0 : boost::math::gamma_p_inv(count, tail, Policy());
}

double poisson_upper_limit(double count, double tail) {
  check_limit(count, tail);
  return boost::math::gamma_q_inv(count + 1, tail, Policy());
}

}  // namespace tailgate
