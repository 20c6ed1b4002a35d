// Log lines as the bodies of events, for comparing byte by byte what a path was given with what
// came out of it.
//
// A line has the fields that rdk's loggers write (viamrobotics/rdk, pull request 6026): time,
// level, logger, caller and message, separated by tabs, and further fields as a JSON object. The
// messages contain what programs log and what paths change. Line n of a thread is always the same:
// it depends on n modulo kLogLines alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "harness/base/enum_text.h"
#include "harness/base/event.h"

namespace tailgate {

// What is unusual in a line. The enum's size is fixed because shared memory contains it.
enum class LineKind : std::uint32_t {
  plain,
  utf8,          // letters of several alphabets, combining ones, beyond the first plane, U+FEFF
  surrogate,     // lone surrogates, encoded as if they were characters (WTF-8)
  invalid_utf8,  // bytes that no encoding of a character contains
  nul,
  line_feed,  // also carriage returns
  quotes,     // quotes, backslashes, percent signs: what formats and escapes give a meaning
  control,    // control characters but those above, and tabs
  empty,      // a line of no byte
  longest,    // the largest event of the load
};
template <>
inline constexpr auto kEnumTexts<LineKind> =
    enum_texts<LineKind>({{LineKind::plain, "plain"},
                          {LineKind::utf8, "utf8"},
                          {LineKind::surrogate, "surrogate"},
                          {LineKind::invalid_utf8, "invalid_utf8"},
                          {LineKind::nul, "nul"},
                          {LineKind::line_feed, "line_feed"},
                          {LineKind::quotes, "quotes"},
                          {LineKind::control, "control"},
                          {LineKind::empty, "empty"},
                          {LineKind::longest, "longest"}});

inline constexpr std::size_t kLineKinds = 10;
inline constexpr std::size_t kLogLines = 64;
inline constexpr std::size_t kLeastLongestBytes = 1024;  // more than any other kind has

// The kind of a thread's line with that number.
constexpr LineKind line_kind(std::uint64_t sequence) {
  return static_cast<LineKind>(sequence % kLogLines % kLineKinds);
}

class LogLines {
 public:
  // longest_event_bytes: size of the events with the longest lines, header included; at least
  // kLeastLongestBytes.
  LogLines(EventEncoding encoding, std::size_t longest_event_bytes);

  // The line, which is the body of the event with that number.
  std::span<const std::byte> body(std::uint64_t sequence) const {
    return std::as_bytes(std::span(lines_[sequence % kLogLines]));
  }
  std::size_t event_bytes(std::uint64_t sequence) const {
    return header_bytes_ + lines_[sequence % kLogLines].size();
  }
  std::size_t header_bytes() const { return header_bytes_; }

 private:
  std::size_t header_bytes_;
  std::array<std::string, kLogLines> lines_;
};

// As check_event of event.h, for events with such bodies. bad_body: the body is not the line with
// the event's number.
EventCheck check_event(std::span<const std::byte> event, EventEncoding encoding,
                       const LogLines& lines, EventStamp& stamp);

}  // namespace tailgate
