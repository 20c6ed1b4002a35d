// What came back of log lines, compared byte by byte with what was sent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/log_lines.h"

namespace tailgate {

// Where a line that came back first differs from the one that was sent.
struct LineDifference {
  unsigned thread = 0;
  std::uint64_t sequence = 0;
  std::uint64_t offset_bytes = 0;
  std::optional<std::string> field;
  std::string expected;
  std::string found;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("thread", &LineDifference::thread, "load thread");
    v("sequence", &LineDifference::sequence, "the line's number in that thread, from 0");
    v("offset_bytes", &LineDifference::offset_bytes, "in the line, where they differ");
    v("field", &LineDifference::field,
      "of the line's fields the one in which they do, with the tab before it: time, level, logger, "
      "caller, message or fields; absent if the line has none, or ended there");
    v("expected", &LineDifference::expected,
      "the bytes that were sent from there on, 16 at most; what is no text as \\xNN");
    v("found", &LineDifference::found, "those that came back, likewise; empty: it ends there");
  }
};

struct LineKindRead {
  LineKind kind = LineKind::plain;
  std::uint64_t lines = 0;
  std::uint64_t same = 0;
  std::uint64_t cut = 0;
  std::uint64_t changed = 0;
  std::uint64_t missing = 0;
  std::optional<LineDifference> first;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("kind", &LineKindRead::kind, "what is unusual in these lines");
    v("lines", &LineKindRead::lines, "calls with such a line");
    v("same", &LineKindRead::same, "lines that came back as they were sent");
    v("cut", &LineKindRead::cut, "… of which only the beginning came back");
    v("changed", &LineKindRead::changed, "… that came back with other bytes");
    v("missing", &LineKindRead::missing, "… that did not come back: refused or lost");
    v("first", &LineKindRead::first, "the first that was cut or changed; absent if none was");
  }
};

// One copy of the lines. A sink that writes to several others makes one in each of them.
struct CopyRead {
  std::string sink;
  std::vector<LineKindRead> kinds;
  std::uint64_t twice = 0;
  std::uint64_t foreign = 0;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("sink", &CopyRead::sink, "the sink that made the copy, with its options");
    v("kinds", &CopyRead::kinds, "its lines by kind");
    v("twice", &CopyRead::twice, "lines that came back once more");
    v("foreign", &CopyRead::foreign,
      "what came back and has no whole header of this trial's events, such as the rest of a line "
      "that was split");
  }
};

}  // namespace tailgate
