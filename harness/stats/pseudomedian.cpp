#include "harness/stats/pseudomedian.h"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <vector>

namespace tailgate {

double pseudomedian(std::span<const double> values) {
  if (values.empty()) throw std::invalid_argument("pseudomedian: a value or more");
  std::vector<double> means;
  means.reserve(values.size() * (values.size() + 1) / 2);
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i; j < values.size(); ++j) means.push_back((values[i] + values[j]) / 2);
  }
  const auto middle = means.begin() + static_cast<std::ptrdiff_t>(means.size() / 2);
  std::nth_element(means.begin(), middle, means.end());
  if (means.size() % 2 == 1) return *middle;
  return (*std::max_element(means.begin(), middle) + *middle) / 2;
}

}  // namespace tailgate
