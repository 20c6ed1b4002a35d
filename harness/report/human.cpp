#include "harness/report/human.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "harness/base/quoting.h"

namespace tailgate {
namespace {

struct Unit {
  double size;
  const char* name;
};

// The number with four significant digits, in the largest unit that its rounded value reaches.
std::string in_units(double value, std::span<const Unit> units) {
  const Unit* unit = &units.front();
  for (const Unit& larger : units) {
    if (value >= larger.size * 0.99995) unit = &larger;
  }
  const double number = value / unit->size;
  const int whole_digits = number >= 999.95 ? 4 : number >= 99.995 ? 3 : number >= 9.9995 ? 2 : 1;
  return fmt::format("{:.{}f}", number, 4 - whole_digits) + unit->name;
}

// "9.500k" -> "9.5k", "10.00k" -> "10k".
std::string without_trailing_zeros(std::string text) {
  const std::size_t point = text.find('.');
  if (point == std::string::npos) return text;
  const std::size_t end = std::min(text.find_first_not_of("0123456789", point + 1), text.size());
  std::size_t keep = end;
  while (text[keep - 1] == '0') --keep;
  if (text[keep - 1] == '.') --keep;
  return text.erase(keep, end - keep);
}

constexpr Unit kDurations[] = {{1e3, "us"}, {1e6, "ms"}, {1e9, "s"}, {3.6e12, "h"}, {8.64e13, "d"}};
constexpr Unit kCounts[] = {{1, ""},     {1e3, "k"},  {1e6, "M"}, {1e9, "G"},
                            {1e12, "T"}, {1e15, "P"}, {1e18, "E"}};

constexpr std::uint64_t kExactCounts = 1'000'000;

bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

}  // namespace

std::string human_duration(std::uint64_t ns) {
  if (ns < 1000) return fmt::format("{}ns", ns);
  return in_units(static_cast<double>(ns), kDurations);
}

std::string human_duration(double ns) {
  constexpr double kMaxNs = 1e18;  // 31 years
  const double size_ns = std::round(std::min(std::abs(ns), kMaxNs));
  const std::string text = human_duration(static_cast<std::uint64_t>(size_ns));
  return ns < 0 && size_ns > 0 ? "-" + text : text;
}

std::string human_wait(double seconds) {
  const long whole_s = std::lround(std::ceil(seconds));
  if (whole_s < 60) return fmt::format("{} s", whole_s);
  if (whole_s < 3600) return fmt::format("{} min {:02} s", whole_s / 60, whole_s % 60);
  return fmt::format("{} h {:02} min", whole_s / 3600, whole_s % 3600 / 60);
}

std::string human_count(std::uint64_t count) {
  if (count < kExactCounts) return fmt::format("{}", count);
  return in_units(static_cast<double>(count), kCounts);
}

std::string human_count(std::int64_t count) {
  if (count >= 0) return human_count(static_cast<std::uint64_t>(count));
  return "-" + human_count(std::uint64_t{0} - static_cast<std::uint64_t>(count));
}

std::string human_rate(double per_second) {
  constexpr double kBeyondUnits = 9.999e21;
  if (per_second > kBeyondUnits) return ">9999E";
  return without_trailing_zeros(in_units(per_second, kCounts));
}

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); }));
}

std::string_view first_columns(std::string_view text, std::size_t columns) {
  std::size_t end = 0;
  for (std::size_t used = 0; end < text.size(); ++end) {
    if (!is_continuation(text[end]) && ++used > columns) break;
  }
  return text.substr(0, end);
}

std::string cut_to(std::string_view text, std::size_t columns) {
  if (columns_of(text) <= columns) return std::string(text);
  return std::string(first_columns(text, columns - 1)) + "~";
}

std::string upper_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return result;
}

std::vector<std::string> wrapped(std::string_view text, std::size_t columns, std::size_t hanging) {
  std::vector<std::string> lines;
  std::string line;
  while (!text.empty()) {
    const std::size_t room = columns - (lines.empty() ? 0 : hanging);
    std::size_t end = first_columns(text, room).size();
    std::size_t next = end;
    if (end < text.size()) {
      const std::size_t space = text.substr(0, end + 1).find_last_of(' ');
      if (space != std::string_view::npos && space > 0) {
        end = space;
        next = space + 1;
      }
    }
    std::string_view shown = text.substr(0, end);
    if (next > end) shown = shown.substr(0, shown.find_last_not_of(' ') + 1);
    line.assign(lines.empty() ? 0 : hanging, ' ');
    lines.push_back(line.append(shown));
    text.remove_prefix(next);
  }
  if (lines.empty()) lines.emplace_back();
  return lines;
}

std::string paragraph(std::string_view text) {
  std::string all;
  for (const std::string& line : wrapped(printable(text), kColumns - 2, 2)) {
    all += "  " + line + "\n";
  }
  return all;
}

}  // namespace tailgate
