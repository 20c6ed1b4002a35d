// Figures as people read them in a table: short, with the unit at hand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tailgate {

inline constexpr std::size_t kColumns = 80;  // of the terminal that all texts are made for

// A duration with four significant digits (whole nanoseconds below a microsecond), in at most seven
// characters: "24ns", "1.235us", "12.35ms", "999.9s", "2.778h", "416.7d".
std::string human_duration(std::uint64_t ns);

// A number of events, exact up to six digits, in at most seven characters: "0", "-12", "123456",
// "1.235M".
std::string human_count(std::uint64_t count);
std::string human_count(std::int64_t count);

// A rate per second with four significant digits, in at most seven characters: "0.5", "9.988k",
// "10k", "1.5M". The rate must not be negative.
std::string human_rate(double per_second);

// A text for a terminal: what could steer it (control characters) becomes '?'.
std::string printable(std::string_view text);

// How many columns a terminal gives a UTF-8 text, wide and combining characters not considered.
std::size_t columns_of(std::string_view text);

// The text in lines of at most `columns` columns, broken at spaces where there are any; the lines
// after the first begin with `hanging` spaces, which count.
std::vector<std::string> wrapped(std::string_view text, std::size_t columns, std::size_t hanging);

// The text, made printable, in ended lines that begin two columns in and fit kColumns.
std::string paragraph(std::string_view text);

}  // namespace tailgate
