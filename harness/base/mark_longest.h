// Which parts of a long list to show: the longest, in the order in which they come.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <vector>

namespace tailgate {

// Marks the `count` longest of the parts [first, last); `length` gives a part's length. Returns a
// value for each part, in their order. Of equally long parts the earlier ones are marked.
template <class Iterator, class Length>
std::vector<bool> mark_longest(Iterator first, Iterator last, std::size_t count, Length length) {
  std::vector<std::size_t> order(static_cast<std::size_t>(std::distance(first, last)));
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto length_of = [&](std::size_t part) {
    return length(*std::next(first, static_cast<std::ptrdiff_t>(part)));
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return length_of(a) > length_of(b); });
  std::vector<bool> marked(order.size(), false);
  order.resize(std::min(count, order.size()));
  for (const std::size_t part : order) marked[part] = true;
  return marked;
}

}  // namespace tailgate
