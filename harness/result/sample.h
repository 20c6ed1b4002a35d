// A small result by construction, for tests and for the fixture in results/: no figure in it was
// measured.
#pragma once

#include "harness/result/result.h"

namespace tailgate {

// A steady run of 10,000 events a second for two seconds against a file: nothing
// unusual in trials 0 and 1, losses and a missed rate in trial 2, and a crash in trial 3.
// Each completed trial t recorded service times of 1000 + t, 2000 + t … 20000000 + t ns, and
// response times 500 ns longer.
Result sample_result();

}  // namespace tailgate
