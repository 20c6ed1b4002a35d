#include "harness/etl/where.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <compare>
#include <optional>
#include <system_error>
#include <utility>

#include "harness/base/error.h"
#include "harness/etl/text.h"

namespace tailgate::etl {
namespace {

bool is_word_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

}  // namespace

// Reads a condition by recursive descent, a function for each rule:
//   any  = all {("or" | "||") all}
//   all  = one {("and" | "&&") one}
//   one  = ("not" | "!") one | "(" any ")" | path [operator value]
class WhereParser {
 public:
  WhereParser(std::string_view text, std::vector<Where::Node>& nodes)
      : text_(text), nodes_(nodes) {}

  void parse() {
    if (text_.size() > Where::kMaxBytes) {
      throw Error(
          fmt::format("the condition has {} bytes, more than {}", text_.size(), Where::kMaxBytes),
          "write a shorter one");
    }
    parse_any(0);
    skip_space();
    if (at_ < text_.size()) fail("'and', 'or' or the end is expected");
  }

 private:
  using Kind = Where::Kind;
  using Operator = Where::Operator;

  [[noreturn]] void fail(std::string_view what) const {
    const std::string_view rest = text_.substr(at_, 20);
    const std::string before = rest.empty() ? "the end" : fmt::format("'{}'", rest);
    throw Error(fmt::format("the condition '{}' is wrong at character {}, before {}: {}", text_,
                            at_ + 1, before, what),
                "write it as in: ProcessId == 4 and (Size > 4096 or FileName contains '.log')");
  }

  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }

  // Takes a word in any case, or a sign, when it is next.
  bool take_word(std::string_view word) {
    skip_space();
    const std::string_view next = text_.substr(at_, word.size());
    const std::size_t end = at_ + word.size();
    const bool longer = end < text_.size() && is_word_character(text_[end]);
    if (lower_case(next) != word || longer) return false;
    at_ = end;
    return true;
  }
  bool take_sign(std::string_view sign) {
    skip_space();
    if (!text_.substr(at_).starts_with(sign)) return false;
    at_ += sign.size();
    return true;
  }

  std::size_t add(Where::Node node) {
    nodes_.push_back(std::move(node));
    return nodes_.size() - 1;
  }
  std::size_t add_parts(Kind kind, std::vector<std::size_t> parts) {
    if (kind != Kind::none && parts.size() == 1) return parts.front();
    Where::Node node;
    node.kind = kind;
    node.parts = std::move(parts);
    return add(std::move(node));
  }

  std::size_t parse_any(int depth) {
    std::vector<std::size_t> parts = {parse_all(depth)};
    while (take_word("or") || take_sign("||")) parts.push_back(parse_all(depth));
    return add_parts(Kind::any, std::move(parts));
  }

  std::size_t parse_all(int depth) {
    std::vector<std::size_t> parts = {parse_one(depth)};
    while (take_word("and") || take_sign("&&")) parts.push_back(parse_one(depth));
    return add_parts(Kind::all, std::move(parts));
  }

  std::size_t parse_one(int depth) {
    if (depth == Where::kMaxDepth) fail("too many brackets and 'not' are inside of each other");
    if (take_word("not") || take_sign("!")) {
      return add_parts(Kind::none, {parse_one(depth + 1)});
    }
    if (!take_sign("(")) return parse_comparison();
    const std::size_t inside = parse_any(depth + 1);
    if (!take_sign(")")) fail("')' is expected");
    return inside;
  }

  std::size_t parse_comparison() {
    skip_space();
    const std::size_t from = at_;
    for (std::string_view word : {"and", "or", "contains", "true", "false"}) {
      if (!take_word(word)) continue;
      at_ = from;
      fail("a field or column is expected; a field of that name stands in back quotes");
    }
    Where::Node node;
    node.path = EventPath::parse_at(text_, at_);
    if (!node.path) fail("a field or column is expected");
    if (const auto op = take_operator()) {
      node.kind = Kind::compare;
      node.op = *op;
      take_value(node);
    }
    return add(std::move(node));
  }

  std::optional<Operator> take_operator() {
    constexpr std::pair<std::string_view, Operator> kSigns[] = {
        {"==", Operator::equal},   {"!=", Operator::unequal},  {"<>", Operator::unequal},
        {"<=", Operator::at_most}, {">=", Operator::at_least}, {"=", Operator::equal},
        {"<", Operator::less},     {">", Operator::greater}};
    for (const auto& [sign, op] : kSigns) {
      if (take_sign(sign)) return op;
    }
    if (take_word("contains")) return Operator::contains;
    return std::nullopt;
  }

  void take_value(Where::Node& node) {
    skip_space();
    if (take_word("true")) {
      node.number = Number::of_unsigned(1);
    } else if (take_word("false")) {
      node.number = Number::of_unsigned(0);
    } else if (at_ < text_.size() && (text_[at_] == '\'' || text_[at_] == '"')) {
      take_text(node);
    } else {
      node.number = take_number();
    }
    if (node.op == Operator::contains && node.number) fail("'contains' asks for a text in quotes");
  }

  void take_text(Where::Node& node) {
    const std::size_t end = text_.find(text_[at_], at_ + 1);
    if (end == std::string_view::npos) fail("the text has no closing quote");
    node.text = lower_case(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
  }

  Number take_number() {
    const std::size_t from = at_;
    std::size_t end = at_;
    const auto sign_of_power = [&] {
      return end > from && (text_[end] == '-' || text_[end] == '+') &&
             (text_[end - 1] == 'e' || text_[end - 1] == 'E');
    };
    if (end < text_.size() && text_[end] == '-') ++end;
    const std::size_t digits = end;
    while (end < text_.size() &&
           (is_word_character(text_[end]) || text_[end] == '.' || sign_of_power())) {
      ++end;
    }
    const std::string_view word = text_.substr(from, end - from);
    const auto number = end == digits ? std::nullopt : number_in(word);
    if (!number) fail("a value is expected: a number, true, false, or a text in quotes");
    at_ = end;
    return *number;
  }

  static std::optional<Number> number_in(std::string_view word) {
    const char* end = word.data() + word.size();
    const auto whole = [end](std::from_chars_result result) {
      return result.ec == std::errc() && result.ptr == end;
    };
    std::uint64_t magnitude = 0;
    if (lower_case(word.substr(0, 2)) == "0x") {
      if (!whole(std::from_chars(word.data() + 2, end, magnitude, 16))) return std::nullopt;
      return Number::of_unsigned(magnitude);
    }
    if (whole(std::from_chars(word.data(), end, magnitude))) return Number::of_unsigned(magnitude);
    std::int64_t with_sign = 0;
    if (whole(std::from_chars(word.data(), end, with_sign))) return Number::of_signed(with_sign);
    const std::size_t first = word.find_first_not_of('-');
    const bool digits =
        first != std::string_view::npos && std::isdigit(static_cast<unsigned char>(word[first]));
    double real = 0;
    if (!digits || !whole(std::from_chars(word.data(), end, real))) return std::nullopt;
    return Number::of_real(real);
  }

  std::string_view text_;
  std::vector<Where::Node>& nodes_;
  std::size_t at_ = 0;
};

Where::Where(std::string_view text) {
  WhereParser(text, nodes_).parse();
}

std::vector<std::string> Where::top_fields() const {
  std::vector<std::string> names;
  for (const Node& node : nodes_) {
    if (node.path && !node.path->is_column()) names.push_back(node.path->top_field());
  }
  return names;
}

bool Where::matches(const EventView& view, std::size_t number) const {
  const Node& node = nodes_[number];
  const auto meets = [&](std::size_t part) { return matches(view, part); };
  switch (node.kind) {
    case Kind::all:
      return std::all_of(node.parts.begin(), node.parts.end(), meets);
    case Kind::any:
      return std::any_of(node.parts.begin(), node.parts.end(), meets);
    case Kind::none:
      return std::none_of(node.parts.begin(), node.parts.end(), meets);
    case Kind::has:
      return node.path->is_in(view);
    case Kind::compare:
      return node.path->any_value(
          view, [&node](const PathValue& value) { return compares(node, value); });
  }
  return false;
}

bool Where::compares(const Node& node, const PathValue& value) {
  std::partial_ordering order = std::partial_ordering::unordered;
  if (node.number) {
    const auto number = value.number();
    if (!number) return false;
    order = *number <=> *node.number;
  } else {
    std::string text;
    value.append_text(text);
    text = lower_case(text);
    if (node.op == Operator::contains) return text.find(node.text) != std::string::npos;
    order = text <=> node.text;
  }
  switch (node.op) {
    case Operator::equal:
      return order == 0;
    case Operator::unequal:
      return order != 0;
    case Operator::less:
      return order < 0;
    case Operator::at_most:
      return order <= 0;
    case Operator::greater:
      return order > 0;
    case Operator::at_least:
      return order >= 0;
    case Operator::contains:
      break;
  }
  return false;
}

}  // namespace tailgate::etl
