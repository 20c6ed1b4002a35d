#include "harness/result/step_facts.h"

#include <algorithm>

namespace tailgate {

StepFacts step_facts(const Result& result, unsigned step) {
  StepFacts facts;
  for (const Trial& trial : result.trials) {
    if (trial.step != step) continue;
    const LedgerAccount& ledger = trial.ledger;
    facts.ledger.checked = facts.ledger.checked && ledger.checked;
    facts.ledger.unchecked = facts.ledger.unchecked || ledger.unchecked();
    facts.ledger.balanced = facts.ledger.balanced && ledger.unaccounted == 0;
    facts.ledger.emitted += ledger.emitted;
    facts.ledger.lost += ledger.lost;
    facts.busy_trials += trial.noise.lost_share > kBusyShare ? 1 : 0;
    facts.worst_busy_share = std::max(facts.worst_busy_share, trial.noise.lost_share);
    facts.unobserved_trials += trial.noise.observed_ns == 0 ? 1 : 0;
    ++facts.all_trials;
  }
  return facts;
}

}  // namespace tailgate
