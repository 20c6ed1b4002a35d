// Constructs a small result and a duet for tests and for the fixtures in results/. No figure in
// them was measured.
#pragma once

#include "harness/result/result.h"

namespace tailgate {

// A steady run of 10,000 events per second for two seconds against a file. Trials 0 and 1 are
// ordinary, trial 2 has losses and missed its rate, and trial 3 crashed. Each completed trial t
// recorded service times of 1000 + t, 2000 + t … 20000000 + t ns, and response times 500 ns longer.
Result sample_result();

}  // namespace tailgate
