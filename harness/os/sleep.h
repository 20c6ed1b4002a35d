// Sleeps with the best precision that the operating system offers.
#pragma once

#include <cstdint>

namespace tailgate {

// Sleeps for at least this time.
void sleep_for_ns(std::uint64_t ns);

// A sleep rarely takes longer than requested by more than this. A thread that must be awake at a
// certain time sleeps that much less and spins for the rest.
std::uint64_t oversleep_ns();

}  // namespace tailgate
