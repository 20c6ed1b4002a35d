#include "harness/base/log_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace tailgate {
namespace {

using namespace std::string_view_literals;

// Two messages a kind, for its lines in turn.
std::string_view unusual_message(LineKind kind, bool other) {
  switch (kind) {
    case LineKind::utf8:
      return other ? "\u6e29\u5ea6 23 \u00b0C, \u05e9\u05dc\u05d5\u05dd, "
                     "\U0001f469\u200d\U0001f680"sv
                   : "Gr\u00fc\u00dfe an Zoe\u0308 und \ufeff\u043c\u0438\u0440\u2028"sv;
    case LineKind::surrogate:
      // U+D83D and U+DE80; alone, or each by itself where UTF-8 has one character for both.
      return other ? "pair \xED\xA0\xBD\xED\xBA\x80"sv : "\xED\xA0\xBD alone, low \xED\xBA\x80"sv;
    case LineKind::invalid_utf8:
      return other ? "overlong \xC0\x80, beyond \xF5\x80\x80\x80"sv
                   : "bytes \xFF\xFE, cut \xE2\x82, stray \x80"sv;
    case LineKind::nul:
      return other ? "key\0value\0"sv : "\0first byte"sv;
    case LineKind::line_feed:
      return other ? "first\r\nsecond\rthird"sv : "panic: nil\n\ngoroutine 1 [running]:\n"sv;
    case LineKind::quotes:
      return other ? R"(C:\new\table "%s" %n {0} \u0041 #012)"sv
                   : R"('it''s' "quoted" \" <a href="x">&amp; $(id) `id`)"sv;
    case LineKind::control:
      return other ? "bell \a, back\b\b, tab\t, delete \x7f, next line \xC2\x85"sv
                   : "\x1b[31mred\x1b[0m \x01\x02\x1f"sv;
    default:
      return "served"sv;
  }
}

std::string fields_before_message(std::size_t number) {
  constexpr std::string_view kLevels[] = {"DEBUG", "INFO", "WARN", "ERROR"};
  return fmt::format("2026-01-02T03:04:{:02}.{:03}Z\t{}\trdk.resource{}\tarm/arm.go:{}\t",
                     number % 60, 15 * number, kLevels[number % 4], number % 7, 100 + number);
}

std::string fields_after_message(std::size_t number) {
  return fmt::format(R"({}{{"request":{},"took_ms":{}.5,"ok":{},"peer":"10.0.0.{}:443",)"
                     R"("note":"tab\t, NUL \u0000, \ud83d\ude80"}})",
                     '\t', number, number % 9, number % 2 == 0, number);
}

std::string log_line(std::size_t number, std::size_t longest_bytes) {
  const LineKind kind = line_kind(number);
  if (kind == LineKind::empty) return "";
  const bool other = number / kLineKinds % 2 != 0;
  std::string line = fields_before_message(number);
  const std::string end = fields_after_message(number);
  if (kind == LineKind::longest) {
    constexpr std::string_view kWord = "0123456789 abcdefghijklmnopqrstuvwxyz ";
    while (line.size() + end.size() < longest_bytes) {
      line += kWord.substr(0, longest_bytes - line.size() - end.size());
    }
  } else {
    line += unusual_message(kind, other);
  }
  return line + end;
}

}  // namespace

LogLines::LogLines(EventEncoding encoding, std::size_t longest_event_bytes)
    : header_bytes_(min_event_bytes(encoding)) {
  const std::size_t longest_bytes =
      std::clamp(longest_event_bytes, kLeastLongestBytes, kMaxEventBytes) - header_bytes_;
  for (std::size_t i = 0; i < kLogLines; ++i) lines_[i] = log_line(i, longest_bytes);
}

EventCheck check_event(std::span<const std::byte> event, EventEncoding encoding,
                       const LogLines& lines, EventStamp& stamp) {
  const EventCheck check = check_event(event, encoding, stamp);
  if (check != EventCheck::intact && check != EventCheck::bad_body) return check;
  return std::ranges::equal(event.subspan(lines.header_bytes()), lines.body(stamp.sequence))
             ? EventCheck::intact
             : EventCheck::bad_body;
}

}  // namespace tailgate
