// Results, duets, verdicts and calibrations as JSON text. The fields follow from the `describe`
// functions of their headers; here is only how each kind of value is written, and what the reader
// refuses.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "harness/result/calibration.h"
#include "harness/result/duet.h"
#include "harness/result/result.h"
#include "harness/result/verdict.h"

namespace tailgate {

// What the reader accepts at most. The deepest result nests 9 levels.
inline constexpr std::size_t kMaxResultBytes = std::size_t{256} << 20;
inline constexpr int kMaxResultDepth = 16;

// The result as JSON (RFC 8259, UTF-8, fields in the order of result.h, a line feed at the end),
// laid out to be read and compared by people: what fits into 100 columns stands on one line.
// Whole numbers are exact up to 2^64 - 1; other numbers are the shortest text that reads back as
// the same double. Bytes of a text that are not UTF-8 become U+FFFD.
// Throws Error with the field's place when a number is not finite.
std::string write_result(const Result& result);

// The result in a JSON text; origin (a file's name) opens every error. An older version's fields
// are filled up with their defaults and the result counts as the current version from then on.
// Throws Error that names place and value when the text is not JSON (or exceeds the limits above),
// is not a result, comes from a newer version, or lacks, repeats or mistypes a field, or has one
// that its version does not know.
Result read_result(std::string_view json_text, const std::string& origin);

// The same for duets.
std::string write_duet(const Duet& duet);
Duet read_duet(std::string_view json_text, const std::string& origin);

// The same for calibrations, and for verdicts, which other tools read.
std::string write_calibration(const Calibration& calibration);
Calibration read_calibration(std::string_view json_text, const std::string& origin);
std::string write_verdict(const Verdict& verdict);

}  // namespace tailgate
