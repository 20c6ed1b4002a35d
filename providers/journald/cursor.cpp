#include "providers/journald/cursor.h"

#include <charconv>

namespace tailgate::journald {

std::optional<std::uint64_t> cursor_sequence(std::string_view cursor) {
  while (!cursor.empty()) {
    const std::size_t end = cursor.find(';');
    const std::string_view field = cursor.substr(0, end);
    if (field.starts_with("i=")) {
      std::uint64_t number = 0;
      const char* const last = field.data() + field.size();
      const auto [stop, error] = std::from_chars(field.data() + 2, last, number, 16);
      if (error != std::errc{} || stop != last) return std::nullopt;
      return number;
    }
    if (end == std::string_view::npos) break;
    cursor.remove_prefix(end + 1);
  }
  return std::nullopt;
}

}  // namespace tailgate::journald
