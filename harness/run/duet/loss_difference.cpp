#include "harness/run/duet/loss_difference.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "harness/stats/mean_interval.h"

namespace tailgate {
namespace {

constexpr double kLossConfidence = 0.95;

using LossName = std::pair<std::string, std::string>;  // cause, reported_by

// Both sides' losses in each round, in events of a million.
struct LossRounds {
  std::vector<double> a;
  std::vector<double> b;
};

bool losses_are_known(const DuetSide& side) {
  return side.outcome == TrialOutcome::completed && !side.ledger.unchecked() &&
         side.ledger.emitted > 0;
}

void add_losses(const LedgerAccount& ledger, std::size_t round,
                std::vector<double> LossRounds::*side, std::map<LossName, LossRounds>& losses) {
  for (const LossCount& loss : ledger.losses) {
    std::vector<double>& rounds = losses[{loss.cause, loss.reported_by}].*side;
    rounds.resize(round + 1);
    rounds[round] += 1e6 * static_cast<double>(loss.events) / static_cast<double>(ledger.emitted);
  }
}

double mean_loss(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// among: how many causes are compared (Bonferroni).
LossPart loss_part(const LossName& name, const LossRounds& rounds, std::size_t among) {
  LossPart part{.cause = name.first, .reported_by = name.second};
  part.a_per_million = mean_loss(rounds.a);
  part.b_per_million = mean_loss(rounds.b);
  part.difference_per_million = part.b_per_million - part.a_per_million;
  if (rounds.a.size() < 2) return part;
  std::vector<double> differences;
  std::transform(rounds.b.begin(), rounds.b.end(), rounds.a.begin(),
                 std::back_inserter(differences), std::minus<>());
  const double half = mean_interval(differences, kLossConfidence).half_width;
  part.low_per_million = part.difference_per_million - half;
  part.high_per_million = part.difference_per_million + half;
  const double confidence = 1 - (1 - kLossConfidence) / static_cast<double>(among);
  part.distinct =
      std::abs(part.difference_per_million) > mean_interval(differences, confidence).half_width;
  return part;
}

}  // namespace

std::optional<LossDifference> loss_difference(const Duet& duet) {
  std::map<LossName, LossRounds> losses;
  std::size_t rounds = 0;
  for (const DuetRound& round : duet.rounds) {
    if (!losses_are_known(round.a) || !losses_are_known(round.b)) continue;
    add_losses(round.a.ledger, rounds, &LossRounds::a, losses);
    add_losses(round.b.ledger, rounds, &LossRounds::b, losses);
    ++rounds;
  }
  LossRounds all{std::vector<double>(rounds), std::vector<double>(rounds)};
  LossDifference difference;
  for (auto& [name, of] : losses) {
    of.a.resize(rounds);
    of.b.resize(rounds);
    std::transform(of.a.begin(), of.a.end(), all.a.begin(), all.a.begin(), std::plus<>());
    std::transform(of.b.begin(), of.b.end(), all.b.begin(), all.b.begin(), std::plus<>());
    difference.causes.push_back(loss_part(name, of, losses.size()));
  }
  if (rounds == 0 || mean_loss(all.a) + mean_loss(all.b) == 0) return {};
  difference.all = loss_part({}, all, 1);
  std::stable_sort(difference.causes.begin(), difference.causes.end(),
                   [](const LossPart& x, const LossPart& y) {
                     return std::abs(x.difference_per_million) > std::abs(y.difference_per_million);
                   });
  return difference;
}

}  // namespace tailgate
