// A small result by construction, for tests and for the fixture in results/: no figure in it was
// measured.
#pragma once

#include "harness/result/duet.h"
#include "harness/result/result.h"

namespace tailgate {

// A steady run of 10,000 events a second for two seconds against a file: nothing
// unusual in trials 0 and 1, losses and a missed rate in trial 2, and a crash in trial 3.
// Each completed trial t recorded service times of 1000 + t, 2000 + t … 20000000 + t ns, and
// response times 500 ns longer.
Result sample_result();

// Four rounds of two files at 20,000 events a second. In round r side A took 1000 + r ns a call and
// side B 1100 + 11 r / 10 ns, a tenth more, but for a call of 2 ms in round 2; side B spends a
// fifth more processor time and was killed in round 3.
Duet sample_duet();

}  // namespace tailgate
