// Which causes of lost events grew from side A of a duet to side B. A pure function.
#pragma once

#include <optional>

#include "harness/result/difference.h"
#include "harness/result/duet.h"

namespace tailgate {

// By the rounds that both sides completed and whose losses are known. Nothing where neither side
// lost an event in them.
std::optional<LossDifference> loss_difference(const Duet& duet);

}  // namespace tailgate
