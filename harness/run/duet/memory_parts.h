// Memory of one side of a round by who took it: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

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

// What a side's provider allocated in a round's turns and had not freed at their end, in bytes, by
// the size of the blocks, each with the functions that allocated them. samples: of allocations.
activity::SideAmounts allocation_parts(const profile::Samples& samples);

// "blocks of 33 to 64 bytes", "blocks of 1 to 2 KiB": up to a power of two, and more than half of
// it; up to 16 bytes are one size.
std::string size_class(std::uint64_t bytes);

}  // namespace tailgate
