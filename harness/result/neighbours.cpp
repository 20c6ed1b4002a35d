#include "harness/result/neighbours.h"

#include <algorithm>
#include <map>
#include <utility>

namespace tailgate {
namespace {

constexpr double kNotableShare = 0.05;
constexpr std::size_t kMostNames = 3;

}  // namespace

std::vector<NeighbourUse> notable_neighbours(const std::vector<const Neighbours*>& trials) {
  std::map<std::string, double> shares;
  for (const Neighbours* trial : trials) {
    for (const NeighbourUse& use : trial->processes) shares[use.name] += use.cpu_share;
    if (trial->stolen_ns && trial->observed_ns > 0) {
      shares["the hypervisor"] +=
          static_cast<double>(*trial->stolen_ns) / static_cast<double>(trial->observed_ns);
    }
  }
  std::vector<NeighbourUse> notable;
  for (const auto& [name, share] : shares) {
    const double mean = share / static_cast<double>(trials.size());
    if (mean >= kNotableShare) notable.push_back({name, mean});
  }
  std::stable_sort(
      notable.begin(), notable.end(),
      [](const NeighbourUse& a, const NeighbourUse& b) { return a.cpu_share > b.cpu_share; });
  notable.resize(std::min(notable.size(), kMostNames));
  return notable;
}

std::string names_of(const std::vector<NeighbourUse>& uses) {
  std::string text;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (i > 0) text += i + 1 == uses.size() ? " and " : ", ";
    text += uses[i].name;
  }
  return text;
}

std::string takers_of(const std::vector<const Neighbours*>& trials) {
  const std::string names = names_of(notable_neighbours(trials));
  return names.empty() ? "others" : names;
}

}  // namespace tailgate
