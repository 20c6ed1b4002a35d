#include "harness/gate/amount.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace tailgate {
namespace {

bool is_space(char c) {
  return c == ' ' || c == '\t';
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::string with_single_spaces(std::string_view text) {
  std::string words;
  for (const char c : trimmed(text)) {
    if (!is_space(c)) words += c;
    if (is_space(c) && words.back() != ' ') words += ' ';
  }
  return words;
}

std::optional<Amount> amount_of(std::string_view text, std::span<const AmountUnit> units) {
  Amount amount;
  const char* const end = text.data() + text.size();
  const auto [rest, error] =
      std::from_chars(text.data(), end, amount.number, std::chars_format::fixed);
  if (error != std::errc() || !std::isfinite(amount.number)) return {};
  const std::string_view unit = trimmed({rest, static_cast<std::size_t>(end - rest)});
  const auto found = std::find_if(units.begin(), units.end(),
                                  [&](const AmountUnit& known) { return known.name == unit; });
  if (found != units.end()) amount.unit = &*found;
  return amount;
}

std::optional<RelationParts> relation_parts(std::string_view text) {
  const std::size_t at = text.find_first_of("<>=");
  if (at == std::string_view::npos) return {};
  const std::size_t end = at + (text.substr(at + 1).starts_with('=') ? 2 : 1);
  return RelationParts{trimmed(text.substr(0, at)), text.substr(at, end - at),
                       trimmed(text.substr(end))};
}

}  // namespace tailgate
