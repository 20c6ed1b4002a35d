// Options tables: each sink and each scenario declares the settings that it takes as data (name,
// type, default, range, help), and this file turns the user's text into checked values. The same
// tables print `tailgate sinks NAME` and `tailgate scenarios NAME`.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/error.h"

namespace tailgate {

enum class OptionType { integer, real, boolean, choice, text };

// "integer", "real" …: the word used in help texts and errors.
std::string_view option_type_name(OptionType type);

struct OptionSpec {
  std::string name;  // snake_case, the unit last: "buffer_bytes"
  OptionType type;
  std::string default_value;  // as the user would write it; must itself be valid
  std::string help;           // one line, no full stop
  double min = std::numeric_limits<double>::lowest();  // integer and real: inclusive
  double max = std::numeric_limits<double>::max();
  std::vector<std::string> choices = {};  // choice only
};

// A choice among words.
inline OptionSpec choice_option(std::string name, std::string default_value, std::string help,
                                std::vector<std::string> choices) {
  OptionSpec spec{std::move(name), OptionType::choice, std::move(default_value), std::move(help)};
  spec.choices = std::move(choices);
  return spec;
}

using OptionTable = std::vector<OptionSpec>;

// Values for every option of one table: defaults, overlaid with what the user gave.
class Options {
 public:
  // All defaults. owner names the table in errors: "sink 'file'".
  Options(OptionTable table, std::string owner);

  // Checks name, type and range. Throws Error that names the owner, the option and the value, and
  // in its remedy the valid names (nearest first), the range or the choices.
  // Integers accept digit separators "10_000" and the suffixes k, M, G (powers of 1000) and
  // Ki, Mi, Gi (powers of 1024); reals accept the decimal ones.
  void set(std::string_view name, std::string_view value);

  // Typed access. Asking for a name or a type that the table does not have is a bug in the caller
  // and throws std::logic_error.
  std::int64_t integer(std::string_view name) const;
  double real(std::string_view name) const;
  bool boolean(std::string_view name) const;
  const std::string& text(std::string_view name) const;  // text and choice

  // True when the user set it, be it to the default's value.
  bool given(std::string_view name) const;

  const OptionTable& table() const { return table_; }
  const std::string& owner() const { return owner_; }

  // Every option with its value as text, in the table's order: what a result file records.
  std::vector<std::pair<std::string, std::string>> resolved() const;

 private:
  struct Value {
    std::string text;
    std::int64_t integer = 0;
    double real = 0;
    bool boolean = false;
    bool given = false;
  };

  const OptionSpec& spec(std::string_view name) const;  // throws Error when unknown
  Value parse(const OptionSpec& spec, std::string_view text) const;
  const Value& value(std::string_view name, OptionType type) const;

  OptionTable table_;
  std::string owner_;
  std::map<std::string, Value, std::less<>> values_;
};

// The candidate that begins with word, or else has the smallest edit distance to it, or "" when
// none is near enough (more than a third of the word's letters differ). For "did you mean" hints.
std::string nearest_name(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace tailgate
