// Which rounds tell of slow calls, where the hypervisor takes time from the machine.
//
// While it runs something else, a call that is being made takes so much longer. Of journald at
// 5,000 events a second on a virtual machine with busy neighbours, calls over 100 us rose from 9 in
// 40,000 in the fifth of the rounds with the least time taken to 525 in that with the most, and how
// many more there were on one side than on the other varied 19 times as much (ci/CALIBRATION.md,
// "Time that the hypervisor takes").
#pragma once

#include <vector>

#include "harness/result/calibration.h"

namespace tailgate {

// For each round, whether its slow calls count: the share that was taken is at most `most`, or at
// most the median of the shares of this round and those before it, so that of rounds which are all
// the same at least half count. Both sides take turns on one processor, so the share belongs to
// neither, and rounds that are chosen by it are as likely with the sides exchanged as before. No
// round's place depends on later ones, so that a look stays what it was.
//
// shares: of the time of the measured turns, one for each round; a number that is not known (nan)
// counts. Empty: all rounds count, and so is the answer.
std::vector<bool> quiet_rounds(const std::vector<double>& shares, double most);

// Takes out the values of the rounds that are not quiet; an empty list takes out none.
void keep_quiet(const std::vector<bool>& quiet, MetricSeries& series);

}  // namespace tailgate
