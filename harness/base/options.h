// Options tables. Each sink and each scenario declares its settings as data (name, type, default,
// range, help), and Options converts the user's text to checked values. `tailgate sinks NAME` and
// `tailgate scenarios NAME` print the same tables.
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

// Returns the spec of an option whose value is one of several words.
inline OptionSpec choice_option(std::string name, std::string default_value, std::string help,
                                std::vector<std::string> choices) {
  OptionSpec spec{std::move(name), OptionType::choice, std::move(default_value), std::move(help)};
  spec.choices = std::move(choices);
  return spec;
}

using OptionTable = std::vector<OptionSpec>;

// The values of every option of one table: what the user gave, else the default.
class Options {
 public:
  // Sets all options to their defaults. owner: name of the table in errors, "sink 'file'".
  Options(OptionTable table, std::string owner);

  // Checks name, type and range, and sets the value. Throws Error that names the owner, the option
  // and the value; its remedy names the valid names (nearest first), the range or the choices.
  // Numbers accept digit separators, "10_000", and the suffixes k, M, G (powers of 1000) and Ki,
  // Mi, Gi (powers of 1024).
  void set(std::string_view name, std::string_view value);

  // Return a value. A name or a type that the table does not declare is a bug in the caller and
  // throws std::logic_error.
  std::int64_t integer(std::string_view name) const;
  double real(std::string_view name) const;
  bool boolean(std::string_view name) const;
  const std::string& text(std::string_view name) const;  // text and choice

  // Whether the user set the option, even if to its default.
  bool given(std::string_view name) const;

  const OptionTable& table() const { return table_; }
  const std::string& owner() const { return owner_; }

  // Returns every option with its value as text, in the table's order, as a result file records
  // them.
  std::vector<std::pair<std::string, std::string>> resolved() const;

 private:
  struct Value {
    std::string text;
    std::int64_t integer = 0;
    double real = 0;
    bool boolean = false;
    bool given = false;
  };

  const OptionSpec& spec(std::string_view name) const;  // throws Error if unknown
  Value parse(const OptionSpec& spec, std::string_view text) const;
  const Value& value(std::string_view name, OptionType type) const;

  OptionTable table_;
  std::string owner_;
  std::map<std::string, Value, std::less<>> values_;
};

// For "did you mean" hints: returns the candidate that begins with word, else the one with the
// smallest edit distance, or "" if more than a third of the word's letters would have to change.
std::string nearest_name(std::string_view word, const std::vector<std::string>& candidates);

// The remedy of an Error about a word that is none of the choices: "give one of: csv, hlog". Begins
// with "did you mean 'csv'?" when a choice is near.
std::string choice_remedy(std::string_view word, const std::vector<std::string>& choices);

}  // namespace tailgate
