// A train of pulses: instants at equal distances, found among others. Pure functions.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

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
  std::size_t most_trains = 1;
};

// Returns the trains among instants from search.begin to search.end, ascending: those of the
// shortest period first, of one period the fullest first. Most periods of a train have a pulse,
// more than by chance, and there are 20 periods or more. A train's period and the error of it (99
// %) are those of a line through its pulses by least squares. An instant is a pulse of one train at
// most.
std::vector<PulseTrain> find_pulse_trains(std::vector<double> instants, const PulseSearch& search);

}  // namespace tailgate
