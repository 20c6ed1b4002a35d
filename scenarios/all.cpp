#include "scenarios/all.h"

// One line per scenario, in the order of the list that users see.
#define TAILGATE_SCENARIOS(SCENARIO) \
  SCENARIO(steady)                   \
  SCENARIO(burst)                    \
  SCENARIO(ramp)                     \
  SCENARIO(sweep)                    \
  SCENARIO(batches)                  \
  SCENARIO(max)                      \
  SCENARIO(crash)                    \
  SCENARIO(stopped)                  \
  SCENARIO(capacity)                 \
  SCENARIO(payload)                  \
  SCENARIO(fields)                   \
  SCENARIO(stacks)                   \
  SCENARIO(toggle)                   \
  SCENARIO(disabled)                 \
  SCENARIO(realtime)                 \
  SCENARIO(queue)                    \
  SCENARIO(retention)                \
  SCENARIO(parity)                   \
  SCENARIO(kernel_flags)             \
  SCENARIO(contention)               \
  SCENARIO(sessions)                 \
  SCENARIO(soak)

namespace tailgate {

#define TAILGATE_DECLARE_SCENARIO(NAME) ScenarioFactory make_##NAME##_scenario;
TAILGATE_SCENARIOS(TAILGATE_DECLARE_SCENARIO)

void add_all_scenarios(ScenarioCatalog& scenarios) {
#define TAILGATE_ADD_SCENARIO(NAME) scenarios.add(make_##NAME##_scenario());
  TAILGATE_SCENARIOS(TAILGATE_ADD_SCENARIO)
}

}  // namespace tailgate
