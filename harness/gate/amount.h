// Numbers with units, as users write them in budgets and claims: "50us", "0.1%", "20k", "64MiB".
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tailgate {

struct AmountUnit {
  std::string_view name;
  double size;
};

inline constexpr AmountUnit kTimeUnits[] = {
    {"ns", 1}, {"us", 1e3}, {"\u00b5s", 1e3}, {"ms", 1e6}, {"s", 1e9}};
inline constexpr AmountUnit kRateUnits[] = {{"", 1}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}};
inline constexpr AmountUnit kCountUnits[] = {{"", 1}, {"%", 0.01}};
inline constexpr AmountUnit kByteUnits[] = {{"B", 1},           {"kB", 1e3},     {"MB", 1e6},
                                            {"GB", 1e9},        {"KiB", 1024.0}, {"MiB", 1048576},
                                            {"GiB", 1073741824}};

// The number at the beginning, and the unit behind it, which must be one of them.
struct Amount {
  double number = 0;
  const AmountUnit* unit = nullptr;  // null: none of them
};

// Nothing for a text that begins with no finite number. The units must outlive the amount.
std::optional<Amount> amount_of(std::string_view text, std::span<const AmountUnit> units);

// The text without the spaces and tabs around it.
std::string_view trimmed(std::string_view text);

// The words of a text with one space between them.
std::string with_single_spaces(std::string_view text);

// What stands before, of and behind the first relation: "p99", "<=", "50us".
struct RelationParts {
  std::string_view name;
  std::string_view relation;
  std::string_view value;
};

// Nothing for a text without <, <=, =, >= and >.
std::optional<RelationParts> relation_parts(std::string_view text);

}  // namespace tailgate
