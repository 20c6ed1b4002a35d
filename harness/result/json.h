// Writes and reads results, duets, verdicts and calibrations as JSON text. The fields follow from
// the `describe` functions of their headers; this file defines how each kind of value is written,
// and what the reader refuses.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "harness/result/calibration.h"
#include "harness/result/command_duet.h"
#include "harness/result/duet.h"
#include "harness/result/result.h"
#include "harness/result/verdict.h"

namespace tailgate {

// The reader's limits. The deepest result nests 9 levels; a command ends a result at 64 MB, which
// hold 3 million values at most.
inline constexpr std::size_t kMaxResultBytes = std::size_t{128} << 20;
inline constexpr int kMaxResultDepth = 16;
inline constexpr std::size_t kMaxResultValues = 6'000'000;

// Returns the result as JSON (RFC 8259, UTF-8, fields in the order of result.h, a line feed at the
// end). The layout is for people: an object or list that fits into 100 columns is on one line.
// Whole numbers are exact up to 2^64 - 1; other numbers are the shortest text that reads back as
// the same double. Bytes that are not UTF-8 become U+FFFD. Throws Error with the field's path if a
// number is not finite.
std::string write_result(const Result& result);

// Parses a result. Every error begins with `origin`, the name of the file. Fields that an older
// version lacks get their defaults, and the result then has the current version. Throws Error with
// path and value if the text is not JSON, exceeds the limits above, is not a result, comes from a
// newer version, or has a missing, repeated, mistyped or unknown field.
Result read_result(std::string_view json_text, const std::string& origin);

// The same for duets.
std::string write_duet(const Duet& duet);
Duet read_duet(std::string_view json_text, const std::string& origin);

// The same for duets of commands.
std::string write_command_duet(const CommandDuet& duet);
CommandDuet read_command_duet(std::string_view json_text, const std::string& origin);

// The same for calibrations.
std::string write_calibration(const Calibration& calibration);
Calibration read_calibration(std::string_view json_text, const std::string& origin);

// The same for verdicts; reads one, or a list of them as 'tailgate gate --json' writes it.
std::string write_verdict(const Verdict& verdict);
std::vector<Verdict> read_verdicts(std::string_view json_text, const std::string& origin);

}  // namespace tailgate
