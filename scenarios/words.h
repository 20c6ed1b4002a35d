// Words and figures that the scenarios' answers have in common.
#pragma once

#include <string>
#include <vector>

#include "harness/result/result.h"

namespace tailgate {

// "10k", "12.5k", "1M".
std::string rate_words(double rate_hz);

// "At 10k events/s `file`", of a load without a rate "As fast as it can, `file`".
std::string at_rate(const Result& result);

// "1.2 ms", with three digits and the unit that fits.
std::string duration_words(double ns);

// "7 events", "1 event", "3 to 29 events".
std::string event_words(double low, double high);

// "1.2 ms", "0.3 to 2.9 ms"; one unit for both.
std::string duration_range_words(double low_ns, double high_ns);

// The same of a difference, which may be negative: "-12 ns".
std::string signed_duration_words(double ns);

// "0.3 to 2.9 ms", or with signs where the range begins at 0 or below: "-12 ns to 1.2 us".
std::string signed_range_words(double low_ns, double high_ns);

// A list in words: "a", "a and b", "a, b and c".
std::string joined_words(const std::vector<std::string>& words);

// Which actions could not be carried out, and why, each once: "disable session: …".
std::vector<std::string> refused_actions(const Result& result);

// The median of the trials' values, the least and the most of them. At least one value. What a
// further trial shows lies between these two with a probability of (n - 1) / (n + 1), whatever the
// distribution; the figure says so.
AnswerFigure range_figure(std::string name, const std::vector<double>& values, std::string about);

// What their median or mean is, with its 95 % confidence interval (trial_interval); of a single
// value without one. of: what gave each value, "trial". At least one value.
AnswerFigure interval_figure(std::string name, const std::vector<double>& values,
                             const std::string& about, const std::string& of);

}  // namespace tailgate
