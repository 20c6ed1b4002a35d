// Memory of one side of a round by who took it: a pure function.
#pragma once

#include <cstdint>
#include <optional>

#include "harness/explain/difference.h"
#include "harness/profile/samples.h"

namespace tailgate {

// What the provider process had in memory, in bytes.
struct ProviderMemory {
  std::optional<std::uint64_t> before;  // the round's turns
  std::optional<std::uint64_t> after;   // them
};

// A side's memory as the metric rss_bytes has it, that of the daemons included. What the provider
// took in the turns is by function, the innermost that is of no system library, with its caller;
// what it had before, and the daemons, are a part each. samples: of page faults. Nothing where the
// memory is not known.
std::optional<activity::SideAmounts> memory_parts(std::optional<std::uint64_t> rss_bytes,
                                                  const ProviderMemory& provider,
                                                  const profile::Samples& samples);

}  // namespace tailgate
