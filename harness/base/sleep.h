// Sleeping as exactly as the operating system can.
#pragma once

#include <cstdint>

namespace tailgate {

// Sleeps at least this long.
void sleep_for_ns(std::uint64_t ns);

// Sleeps are rarely longer than was asked for by more than this: whoever must be awake at a certain
// time sleeps so much less, and spins.
std::uint64_t oversleep_ns();

}  // namespace tailgate
