#include "harness/base/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>
#include <stdexcept>

namespace tailgate {
namespace {

struct Suffix {
  std::string_view text;
  double factor;
};

constexpr Suffix kSuffixes[] = {{"Ki", 1024.0}, {"Mi", 1048576.0}, {"Gi", 1073741824.0},
                                {"k", 1e3},     {"M", 1e6},        {"G", 1e9}};

double take_suffix(std::string_view& text) {
  for (const Suffix& suffix : kSuffixes) {
    if (text.size() > suffix.text.size() && text.ends_with(suffix.text)) {
      text.remove_suffix(suffix.text.size());
      return suffix.factor;
    }
  }
  return 1.0;
}

std::optional<double> parse_number(std::string_view text) {
  const double factor = take_suffix(text);
  std::string digits(text);
  std::erase(digits, '_');
  double number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || !std::isfinite(number)) {
    return std::nullopt;
  }
  return number * factor;
}

std::optional<bool> parse_boolean(std::string_view text) {
  if (text == "true" || text == "yes" || text == "on" || text == "1") return true;
  if (text == "false" || text == "no" || text == "off" || text == "0") return false;
  return std::nullopt;
}

std::string range_text(const OptionSpec& spec) {
  const bool has_min = spec.min > std::numeric_limits<double>::lowest();
  const bool has_max = spec.max < std::numeric_limits<double>::max();
  if (has_min && has_max) return fmt::format("from {} to {}", spec.min, spec.max);
  if (has_min) return fmt::format("of {} or more", spec.min);
  if (has_max) return fmt::format("of {} or less", spec.max);
  return "";
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({substituted, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view option_type_name(OptionType type) {
  switch (type) {
    case OptionType::integer:
      return "integer";
    case OptionType::real:
      return "real";
    case OptionType::boolean:
      return "boolean";
    case OptionType::choice:
      return "choice";
    case OptionType::text:
      return "text";
  }
  return "unknown";
}

Options::Options(OptionTable table, std::string owner)
    : table_(std::move(table)), owner_(std::move(owner)) {
  for (const OptionSpec& entry : table_) values_[entry.name] = parse(entry, entry.default_value);
}

void Options::set(std::string_view name, std::string_view value) {
  const OptionSpec& entry = spec(name);
  Value parsed = parse(entry, value);
  parsed.given = true;
  values_[entry.name] = std::move(parsed);
}

const OptionSpec& Options::spec(std::string_view name) const {
  for (const OptionSpec& entry : table_) {
    if (entry.name == name) return entry;
  }
  std::vector<std::string> names;
  for (const OptionSpec& entry : table_) names.push_back(entry.name);
  const std::string near = nearest_name(name, names);
  throw Error(fmt::format("{} has no option '{}'", owner_, name),
              near.empty() ? fmt::format("valid options: {}", fmt::join(names, ", "))
                           : fmt::format("did you mean '{}'? valid options: {}", near,
                                         fmt::join(names, ", ")));
}

Options::Value Options::parse(const OptionSpec& entry, std::string_view text) const {
  Value value{.text = std::string(text)};
  const auto fail = [&](const std::string& wanted) -> Value {
    throw Error(fmt::format("{}: {} = '{}' is not valid", owner_, entry.name, text),
                "give " + wanted);
  };
  switch (entry.type) {
    case OptionType::integer:
    case OptionType::real: {
      const bool whole = entry.type == OptionType::integer;
      const std::string wanted =
          fmt::format("{} {}", whole ? "a whole number" : "a number", range_text(entry));
      const std::optional<double> number = parse_number(text);
      // Up to 2^53 a double represents every whole number exactly.
      if (!number || (whole && (*number != std::floor(*number) || std::abs(*number) > 0x1p53))) {
        return fail(wanted);
      }
      if (*number < entry.min || *number > entry.max) return fail(wanted);
      value.real = *number;
      if (whole) value.integer = static_cast<std::int64_t>(*number);
      return value;
    }
    case OptionType::boolean: {
      const std::optional<bool> flag = parse_boolean(text);
      if (!flag) return fail("true or false");
      value.boolean = *flag;
      return value;
    }
    case OptionType::choice:
      if (std::find(entry.choices.begin(), entry.choices.end(), text) == entry.choices.end()) {
        return fail(fmt::format("one of: {}", fmt::join(entry.choices, ", ")));
      }
      return value;
    case OptionType::text:
      return value;
  }
  return value;
}

const Options::Value& Options::value(std::string_view name, OptionType type) const {
  const auto found = values_.find(name);
  if (found == values_.end()) {
    throw std::logic_error(fmt::format("{} declares no option '{}'", owner_, name));
  }
  const OptionType declared = spec(name).type;
  const bool both_text = type == OptionType::text && declared == OptionType::choice;
  if (declared != type && !both_text) {
    throw std::logic_error(
        fmt::format("{}: option '{}' is read as {}", owner_, name, option_type_name(type)));
  }
  return found->second;
}

std::int64_t Options::integer(std::string_view name) const {
  return value(name, OptionType::integer).integer;
}

double Options::real(std::string_view name) const {
  return value(name, OptionType::real).real;
}

bool Options::boolean(std::string_view name) const {
  return value(name, OptionType::boolean).boolean;
}

const std::string& Options::text(std::string_view name) const {
  return value(name, OptionType::text).text;
}

bool Options::given(std::string_view name) const {
  const auto found = values_.find(name);
  return found != values_.end() && found->second.given;
}

std::vector<std::pair<std::string, std::string>> Options::resolved() const {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const OptionSpec& entry : table_) {
    pairs.emplace_back(entry.name, values_.at(entry.name).text);
  }
  return pairs;
}

std::string nearest_name(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t best_distance = word.size() / 3 + 1;
  for (const std::string& candidate : candidates) {
    // A truncated word, or one without its unit.
    if (!word.empty() && candidate.starts_with(word)) return candidate;
    const std::size_t distance = edit_distance(word, candidate);
    if (distance <= best_distance && (best.empty() || distance < best_distance)) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string choice_remedy(std::string_view word, const std::vector<std::string>& choices) {
  const std::string near = nearest_name(word, choices);
  return fmt::format("{}give one of: {}",
                     near.empty() ? "" : fmt::format("did you mean '{}'? ", near),
                     fmt::join(choices, ", "));
}

}  // namespace tailgate
