// Plain numbers, one a line. Empty lines, and those that begin with '#', are skipped.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "harness/base/error.h"
#include "harness/samples/format.h"

namespace tailgate {
namespace {

std::string_view trimmed(std::string_view line) {
  constexpr std::string_view kSpaces = " \t\r";
  const std::size_t begin = line.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(kSpaces) - begin + 1);
}

void read_numbers(std::string_view text, SampleCollector& into) {
  constexpr std::size_t kShown = 40;
  std::size_t line_number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++line_number;
    if (line.empty() || line.front() == '#') continue;
    double value = 0;
    const char* last = line.data() + line.size();
    const auto [at, failed] = std::from_chars(line.data(), last, value);
    if (failed != std::errc() || at != last) {
      throw Error(fmt::format("{}:{}: '{}' is no number", into.origin(), line_number,
                              line.substr(0, kShown)),
                  "write one number a line, with a decimal point");
    }
    into.add_repetition({"", "value", ""}, value);
  }
}

}  // namespace

constinit const SampleFormat sample_formats::numbers = {
    "numbers", "plain numbers, one a line, each the figure of one process",
    "run the program more often, and write one figure of each process", read_numbers};

}  // namespace tailgate
