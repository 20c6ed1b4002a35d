// Conditions on events, as `--where` takes them:
//
//   ProcessId == 4 and (Size > 4096 or FileName contains '.log') and not cpu != 0
//
// A comparison has a path (event_path.h) on its left, and on its right a number (decimal, 0x... or
// with a fraction), true, false or a text in quotes of either kind, without escapes. The operators
// are == (or =), !=, <, <=, >, >= and contains. A number compares with the number that the value
// is, whatever its notation; a text with the text that a dump shows, and case does not matter. A
// path alone asks whether the event has it. `not` binds tightest, then `and`, then `or`; !, && and
// || mean the same.
//
// A comparison is false when the event has no such value, and when a number is compared with a
// value that is none, whatever the operator. Of several values, one has to meet it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/etl/event_path.h"

namespace tailgate::etl {

class Where {
 public:
  static constexpr std::size_t kMaxBytes = 4096;
  static constexpr int kMaxDepth = 64;  // of brackets and `not`

  // Throws Error that names the position of what is wrong; texts over 4,096 bytes are refused.
  explicit Where(std::string_view text);

  bool matches(const EventView& view) const { return matches(view, nodes_.size() - 1); }

  // The fields at the top of its paths.
  std::vector<std::string> top_fields() const;

 private:
  friend class WhereParser;

  enum class Operator : std::uint8_t { equal, unequal, less, at_most, greater, at_least, contains };
  enum class Kind : std::uint8_t { all, any, none, has, compare };
  struct Node {
    Kind kind = Kind::has;
    std::vector<std::size_t> parts;  // all, any, none: of these nodes
    std::optional<EventPath> path;   // has, compare
    Operator op = Operator::equal;
    std::optional<Number> number;  // compared with; else the text
    std::string text;              // in lower case
  };

  bool matches(const EventView& view, std::size_t node) const;
  static bool compares(const Node& node, const PathValue& value);

  std::vector<Node> nodes_;  // a node's parts come before it; the last one is the whole
};

}  // namespace tailgate::etl
