#include "harness/run/duet/loss_parts.h"

#include <vector>

#include "harness/stats/mean_interval.h"

namespace tailgate {
namespace {

constexpr double kPerEvents = 1e6;
constexpr double kLossConfidence = 0.95;

}  // namespace

std::optional<activity::SideAmounts> loss_parts(const LedgerAccount& ledger) {
  if (ledger.emitted == 0 || ledger.unchecked()) return {};
  const auto share = [&](std::uint64_t events) {
    return static_cast<double>(events) * kPerEvents / static_cast<double>(ledger.emitted);
  };
  activity::SideAmounts losses{.whole = share(ledger.lost)};
  for (const LossCount& loss : ledger.losses) {
    losses.parts[{"loss", loss.cause, loss.reported_by}] += share(loss.events);
  }
  return losses;
}

void add_untraced_losses(std::span<const DuetRound> rounds, AmountSum& sum) {
  std::vector<double> differences;
  for (const DuetRound& round : rounds) {
    if (round.a.outcome != TrialOutcome::completed || round.b.outcome != TrialOutcome::completed) {
      continue;
    }
    const auto a = loss_parts(round.a.ledger);
    const auto b = loss_parts(round.b.ledger);
    if (a && b) differences.push_back(b->whole - a->whole);
  }
  if (differences.size() == 1) sum.untraced = differences.front();
  if (differences.size() < 2) return;
  const MeanInterval interval = mean_interval(differences, kLossConfidence);
  sum.untraced = interval.mean;
  sum.untraced_low = interval.mean - interval.half_width;
  sum.untraced_high = interval.mean + interval.half_width;
}

}  // namespace tailgate
