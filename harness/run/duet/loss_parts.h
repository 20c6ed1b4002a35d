// Losses of one side of a round by cause: pure functions.
#pragma once

#include <optional>
#include <span>

#include "harness/explain/difference.h"
#include "harness/result/duet.h"

namespace tailgate {

// Events that the sink reports as lost of a million emitted, and the causes that it reports.
// Nothing where no event was emitted, or where the sink's own counts contradict what was read back.
std::optional<activity::SideAmounts> loss_parts(const LedgerAccount& ledger);

// Fills `untraced` of losses from the duet's own rounds: the mean over those that both sides
// completed and in which the losses of both are known, as the gate judges a rate.
void add_untraced_losses(std::span<const DuetRound> rounds, AmountSum& sum);

}  // namespace tailgate
