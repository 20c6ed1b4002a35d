// Whether two results, measured one after the other, may be compared at all.
#pragma once

#include <vector>

#include "harness/result/result.h"

namespace tailgate {

// Why figures of `b` say nothing against those of `a`, each with what to do; empty: they may be
// compared. Among the reasons: another machine, another load, Wine, trials with events unaccounted
// for or lost, a rate that was missed, slow calls explained in one of the two alone. Where a result
// has several steps, what forbids those of one begins with "step N (RATE): ", N its number in the
// file; the others may be compared when there is no other reason.
std::vector<Remark> reasons_against(const Result& a, const Result& b);

// Why a comparison of results that were not taken in duet is no ground for a verdict: one paragraph
// of plain text for whoever asks for one.
const char* why_duet();

}  // namespace tailgate
