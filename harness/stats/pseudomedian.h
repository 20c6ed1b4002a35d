// The centre of a sample. A pure function.
#pragma once

#include <span>

namespace tailgate {

// The median of the means of all pairs of values, each value with itself included (Hodges and
// Lehmann, Annals of Mathematical Statistics 34, 1963). Of values that scatter evenly around their
// centre it estimates that like the median does: a few wild values hardly move it. Of normal values
// it needs 100 where the median needs 150 for the same error. The time grows with the square of
// their number. Throws std::invalid_argument without values.
double pseudomedian(std::span<const double> values);

}  // namespace tailgate
