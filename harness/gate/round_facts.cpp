#include "harness/gate/round_facts.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

namespace tailgate {
namespace {

constexpr std::string_view kAStartedFirst = "a_started_first";
constexpr std::string_view kAMadeFirst = "a_made_first";

using Round = const DuetRound&;

template <class Count>
std::optional<double> number(const std::optional<Count>& count) {
  return count ? std::optional(static_cast<double>(*count)) : std::nullopt;
}

std::optional<double> gaps(Round round, std::uint64_t Noise::*count) {
  return round.noise ? std::optional(static_cast<double>((*round.noise).*count)) : std::nullopt;
}

struct RoundFact {
  std::string_view name;
  std::optional<double> (*value)(Round);  // empty: not known of this round
};

// To record another fact, add it here.
constexpr RoundFact kFacts[] = {
    {kAStartedFirst, [](Round r) { return std::optional(r.a_started_first ? 1.0 : 0.0); }},
    {kAMadeFirst, [](Round r) { return number(r.a_made_first); }},
    {"duration_ns", [](Round r) { return std::optional(static_cast<double>(r.duration_ns)); }},
    {"stolen_ns", [](Round r) { return number(r.stolen_ns); }},
    {"gaps_over_10us", [](Round r) { return gaps(r, &Noise::gaps_over_10us); }},
    {"age_ns", [](Round r) { return number(r.age_ns); }},
    {"visits", [](Round r) { return number(r.visits); }},
    {kLayoutPairFact, [](Round r) { return number(r.layout_pair); }},
    {"gaps_over_100us", [](Round r) { return gaps(r, &Noise::gaps_over_100us); }},
};

// What a fact says of each round; empty where the run or a round does not have it.
std::vector<double> known(const std::vector<FactSeries>& facts, std::string_view name) {
  const auto found = std::find_if(facts.begin(), facts.end(),
                                  [&](const FactSeries& fact) { return fact.name == name; });
  if (found == facts.end()) return {};
  const bool all = std::none_of(found->values.begin(), found->values.end(),
                                [](double value) { return std::isnan(value); });
  return all ? found->values : std::vector<double>();
}

std::vector<int> coin(const std::vector<FactSeries>& facts, std::string_view name) {
  std::vector<int> sides;
  for (const double value : known(facts, name)) sides.push_back(value > 0 ? 1 : -1);
  return sides;
}

Clusters layout_pairs(const std::vector<FactSeries>& facts) {
  constexpr double kMost = 1e9;
  Clusters pairs;
  for (const double value : known(facts, kLayoutPairFact)) {
    pairs.push_back(static_cast<std::size_t>(std::clamp(value, 0.0, kMost)));
  }
  return pairs;
}

}  // namespace

std::vector<FactSeries> fact_series(const Duet& duet) {
  std::vector<FactSeries> all;
  for (const RoundFact& fact : kFacts) {
    FactSeries series{std::string(fact.name), {}};
    bool any = false;
    for (const DuetRound& round : duet.rounds) {
      if (!is_completed(round)) continue;
      const std::optional<double> value = fact.value(round);
      series.values.push_back(value.value_or(std::nan("")));
      any = any || value;
    }
    if (any) all.push_back(std::move(series));
  }
  return all;
}

bool is_of_one_duet(std::string_view fact) {
  return fact == kLayoutPairFact;
}

bool is_coin(std::string_view fact) {
  return fact == kAStartedFirst || fact == kAMadeFirst;
}

RoundCoins recorded_coins(const std::vector<FactSeries>& facts) {
  return {coin(facts, kAStartedFirst), coin(facts, kAMadeFirst), layout_pairs(facts)};
}

}  // namespace tailgate
