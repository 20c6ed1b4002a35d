// A train of pulses: instants at equal distances, found among others. Pure functions.
#pragma once

#include <optional>
#include <span>

namespace tailgate {

// In the unit of the instants. Pulses are expected at `at` and at all multiples of the period from
// there.
struct PulseTrain {
  double period = 0;  // 0: none
  double at = 0;
  double error = 0;         // a pulse may be off by so much …
  double period_error = 0;  // … and by so much more for each period between it and `at`
};

// Whether a pulse may lie from begin to end. True as well where the period's error has added up so
// far that nothing is known.
bool may_have_pulse(const PulseTrain& train, double begin, double end);

// What was watched, and which trains count.
struct PulseSearch {
  double begin = 0;
  double end = 0;
  std::span<const double> periods;  // ascending; a train may differ by some millionths
  double width = 0;                 // within which a train's pulses lie if folded by its period
};

// Returns the train of the shortest of these periods in which most periods have a pulse, and more
// than by chance, among instants from search.begin to search.end, ascending. The period and its
// error (99 %) are those of a line through the pulses by least squares. Nothing if there is no such
// train, or fewer than 20 periods.
std::optional<PulseTrain> find_pulse_train(std::span<const double> instants,
                                           const PulseSearch& search);

}  // namespace tailgate
