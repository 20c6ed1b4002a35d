// Numbers and texts for people: short, with the unit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tailgate {

inline constexpr std::size_t kColumns = 80;  // width of the terminal that every text fits

// A duration that was measured, with four significant digits (whole nanoseconds below a
// microsecond), in at most seven characters: "24ns", "1.235us", "12.35ms", "999.9s", "2.778h",
// "416.7d". A negative one, as a difference may be, begins with '-'.
std::string human_duration(std::uint64_t ns);
std::string human_duration(double ns);

// How long something will take, in whole seconds, rounded up: "12 s", "1 min 40 s", "2 h 05 min".
std::string human_wait(double seconds);

// A number of events, exact up to six digits, in at most seven characters: "0", "-12", "123456",
// "1.235M".
std::string human_count(std::uint64_t count);
std::string human_count(std::int64_t count);

// A rate per second with four significant digits, in at most seven characters: "0.5", "9.988k",
// "10k", "1.5M". The rate must not be negative.
std::string human_rate(double per_second);

// How many columns a UTF-8 text takes on a terminal. Counts every character as one column, wide and
// combining ones too.
std::size_t columns_of(std::string_view text);

// The beginning of the text that takes at most that many columns.
std::string_view first_columns(std::string_view text, std::size_t columns);

// The text, cut to that many columns; "~" stands for the rest.
std::string cut_to(std::string_view text, std::size_t columns);

// The text with its ASCII letters in capitals: what must not be overlooked.
std::string upper_case(std::string_view text);

// Breaks the text into lines of at most `columns` columns, at spaces where there are any. Every
// line but the first is indented by `hanging` columns, which count.
std::vector<std::string> wrapped(std::string_view text, std::size_t columns, std::size_t hanging);

// The printable text in lines of at most kColumns, each indented by two columns and ended by a line
// feed.
std::string paragraph(std::string_view text);

}  // namespace tailgate
