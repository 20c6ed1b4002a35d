#include "harness/stats/mean_interval.h"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace tailgate {
namespace {

// The continued fraction of NIST DLMF 8.17.22, by Lentz's method as modified by Thompson and
// Barnett. It converges quickly for x below (a + 1) / (a + b + 2).
double beta_fraction(double x, double a, double b) {
  constexpr double kTiny = 1e-300;
  constexpr int kMostTerms = 10'000;
  const auto not_zero = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double c = 1;
  double d = 1 / not_zero(1 - (a + b) * x / (a + 1));
  double fraction = d;
  for (int m = 1; m < kMostTerms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / not_zero(1 + even * d);
    c = not_zero(1 + even / c);
    fraction *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / not_zero(1 + odd * d);
    c = not_zero(1 + odd / c);
    fraction *= d * c;
    if (std::abs(d * c - 1) < std::numeric_limits<double>::epsilon()) break;
  }
  return fraction;
}

// P(T <= t) for t >= 0.
double student_t_probability(double t, double degrees) {
  return 1 - 0.5 * incomplete_beta(degrees / (degrees + t * t), degrees / 2, 0.5);
}

}  // namespace

double incomplete_beta(double x, double a, double b) {
  if (!(a > 0 && b > 0 && x >= 0 && x <= 1)) {
    throw std::invalid_argument("incomplete_beta: a and b above 0, x from 0 to 1");
  }
  if (x == 0 || x == 1) return x;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(x, a, b) / a;
  return 1 - front * beta_fraction(1 - x, b, a) / b;
}

double student_t_quantile(double p, double degrees) {
  if (!(p > 0 && p < 1 && degrees > 0)) {
    throw std::invalid_argument("student_t_quantile: p between 0 and 1, degrees above 0");
  }
  if (p < 0.5) return -student_t_quantile(1 - p, degrees);
  double above = 1;
  while (student_t_probability(above, degrees) < p && above < 1e300) above *= 2;
  double below = 0;
  // Halving settles every bit of a double.
  for (int i = 0; i < 200 && below < above; ++i) {
    const double middle = below + (above - below) / 2;
    if (middle == below || middle == above) break;
    (student_t_probability(middle, degrees) < p ? below : above) = middle;
  }
  return above;
}

MeanInterval mean_interval(std::span<const double> values, double confidence) {
  if (values.size() < 2) throw std::invalid_argument("mean_interval: two values or more");
  const auto count = static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values) sum += value;
  const double mean = sum / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double standard_error = std::sqrt(squares / (count - 1) / count);
  return {mean, student_t_quantile(0.5 + confidence / 2, count - 1) * standard_error};
}

}  // namespace tailgate
