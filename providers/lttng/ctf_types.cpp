#include "providers/lttng/ctf_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "harness/base/error.h"

namespace tailgate {
namespace {

constexpr int kMaxDepth = 32;             // types nested in types
constexpr std::size_t kMaxTypes = 10000;  // in one text: bounds hostile texts

constexpr const char* kTypesRemedy =
    "record the trace with LTTng 2.13, whose metadata this reader knows";

// Thrown where the text ends too early; caught in this file.
struct EndOfText {};

[[noreturn]] void refuse_type(const std::string& what) {
  throw Error("the trace's metadata: " + what, kTypesRemedy);
}

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Splits the text into words, numbers, strings (with their opening quote, to recognise them) and
// punctuation.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : text_(text) { advance(); }

  std::string_view peek() const { return token_; }  // "" at the end
  bool at_end() const { return token_.empty(); }

  std::string_view take() {
    if (at_end()) throw EndOfText();
    const std::string_view taken = token_;
    advance();
    return taken;
  }
  bool take_if(std::string_view wanted) {
    if (token_ != wanted) return false;
    advance();
    return true;
  }
  void expect(std::string_view wanted) {
    const std::string_view found = take();
    if (found != wanted) refuse_type(fmt::format("'{}' where '{}' was expected", found, wanted));
  }

 private:
  void advance() {
    skip_blanks();
    if (text_.empty()) {
      token_ = {};
      return;
    }
    std::size_t length = 1;
    if (text_[0] == '"') {
      length = string_length();
    } else if (is_word_character(text_[0])) {
      while (length < text_.size() && is_word_character(text_[length])) ++length;
    } else if (text_.starts_with("...")) {
      length = 3;
    } else if (text_.starts_with(":=")) {
      length = 2;
    }
    // A token at the very end may be incomplete.
    if (length == text_.size() && text_[0] != ';') throw EndOfText();
    token_ = text_.substr(0, length);
    text_.remove_prefix(length);
  }

  std::size_t string_length() const {
    for (std::size_t i = 1; i < text_.size(); ++i) {
      if (text_[i] == '\\') {
        ++i;
      } else if (text_[i] == '"') {
        return i + 1;
      }
    }
    throw EndOfText();
  }

  void skip_blanks() {
    while (!text_.empty()) {
      if (text_.starts_with("/*")) {
        const std::size_t end = text_.find("*/", 2);
        if (end == std::string_view::npos) throw EndOfText();
        text_.remove_prefix(end + 2);
      } else if (text_.starts_with("//")) {
        text_.remove_prefix(std::min(text_.find('\n'), text_.size()));
      } else if (std::string_view(" \t\r\n").find(text_[0]) != std::string_view::npos) {
        text_.remove_prefix(1);
      } else {
        return;
      }
    }
  }

  std::string_view text_;
  std::string_view token_;
};

std::uint64_t number(std::string_view text) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  const std::string_view digits = hex ? text.substr(2) : text;
  std::uint64_t value = 0;
  const auto [end, failed] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
  if (failed != std::errc() || end != digits.data() + digits.size() || digits.empty()) {
    refuse_type(fmt::format("'{}' is not a number", text));
  }
  return value;
}

std::uint32_t small_number(std::string_view text) {
  const std::uint64_t value = number(text);
  if (value > 4096) refuse_type(fmt::format("a size or alignment of {} bits", value));
  return static_cast<std::uint32_t>(value);
}

CtfType of_kind(CtfType::Kind kind) {
  CtfType type;
  type.kind = kind;
  return type;
}

std::string unquoted(std::string_view token) {
  if (!token.starts_with('"')) return std::string(token);
  return std::string(token.substr(1, token.size() - 2));
}

class Parser {
 public:
  explicit Parser(std::string_view text) : tokens_(text) {}

  std::vector<CtfBlock> parse() {
    std::vector<CtfBlock> blocks;
    while (!tokens_.at_end()) {
      if (tokens_.peek() == "typealias") {
        parse_alias();
      } else if (tokens_.peek() == "struct" || tokens_.peek() == "enum" ||
                 tokens_.peek() == "variant") {
        parse_type();
        tokens_.expect(";");
      } else {
        blocks.push_back(parse_block());
      }
    }
    return blocks;
  }

 private:
  // Limits the depth of the recursive parse functions.
  class Nesting {
   public:
    explicit Nesting(int& depth) : depth_(depth) {
      if (++depth_ > kMaxDepth) {
        --depth_;
        refuse_type(fmt::format("types nested more than {} deep", kMaxDepth));
      }
    }
    ~Nesting() { --depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    int& depth_;
  };

  void parse_alias() {
    tokens_.expect("typealias");
    CtfType type = parse_type();
    tokens_.expect(":=");
    std::string name = words_until(";");
    if (name.empty()) refuse_type("a typealias without a name");
    tokens_.expect(";");
    aliases_[std::move(name)] = std::move(type);
  }

  // Takes words up to `end` and joins them by blanks: "unsigned long", "event.header".
  std::string words_until(std::string_view end) {
    std::string words;
    while (tokens_.peek() != end) {
      const std::string_view word = tokens_.take();
      const bool dot = word == "." || words.ends_with('.');
      if (!words.empty() && !dot) words += ' ';
      words += word;
    }
    return words;
  }

  CtfBlock parse_block() {
    CtfBlock block;
    block.kind = std::string(tokens_.take());
    if (!is_word_character(block.kind.front())) {
      refuse_type(fmt::format("'{}' where a declaration should begin", block.kind));
    }
    tokens_.expect("{");
    while (!tokens_.take_if("}")) parse_statement(block);
    tokens_.expect(";");
    return block;
  }

  void parse_statement(CtfBlock& block) {
    if (tokens_.peek() == "typealias") return parse_alias();
    std::string name(tokens_.take());
    while (tokens_.take_if(".")) name += "." + std::string(tokens_.take());
    if (tokens_.take_if(":=")) {
      block.types[std::move(name)] = parse_type();
    } else {
      tokens_.expect("=");
      block.attributes[std::move(name)] = attribute_value();
    }
    tokens_.expect(";");
  }

  std::string attribute_value() {
    std::string value;
    while (tokens_.peek() != ";") value += unquoted(tokens_.take());
    return value;
  }

  CtfType parse_type() {
    const Nesting nesting(depth_);
    if (++types_ > kMaxTypes) refuse_type(fmt::format("more than {} types", kMaxTypes));
    if (tokens_.take_if("integer")) return parse_integer();
    if (tokens_.take_if("struct")) return parse_structure();
    if (tokens_.take_if("enum")) return parse_enumeration();
    if (tokens_.take_if("variant")) return parse_variant();
    if (tokens_.take_if("string")) {
      if (tokens_.take_if("{")) skip_attributes();
      return of_kind(CtfType::Kind::string);
    }
    return parse_alias_use();
  }

  // Takes words until they are the name of a known type. The name may have several words ("unsigned
  // long"); the word after it is the field's name.
  CtfType parse_alias_use() {
    std::string name(tokens_.take());
    while (true) {
      const auto known = aliases_.find(name);
      if (known != aliases_.end()) {
        count_types(known->second);
        return known->second;
      }
      const std::string_view next = tokens_.peek();
      if (next.empty()) throw EndOfText();
      if (!is_word_character(next.front()) || name.size() > 100) {
        refuse_type(fmt::format("type '{}' is not declared", name));
      }
      name += ' ';
      name += tokens_.take();
    }
  }

  // Counts a copied type like one that is written out, so that no text can make types grow without
  // limit.
  void count_types(const CtfType& type) {
    if (++types_ > kMaxTypes) refuse_type(fmt::format("more than {} types", kMaxTypes));
    for (const CtfField& field : type.fields) count_types(field.type);
  }

  CtfType parse_integer() {
    CtfType type;
    tokens_.expect("{");
    while (!tokens_.take_if("}")) {
      const std::string name(tokens_.take());
      tokens_.expect("=");
      set_integer_attribute(type, name, attribute_value());
      tokens_.expect(";");
    }
    if (type.size_bits == 0 || type.size_bits > 64) {
      refuse_type(fmt::format("an integer of {} bits", type.size_bits));
    }
    return type;
  }

  static void set_integer_attribute(CtfType& type, const std::string& name,
                                    const std::string& value) {
    if (name == "size") type.size_bits = small_number(value);
    if (name == "align") type.align_bits = std::max<std::uint32_t>(1, small_number(value));
    if (name == "signed") type.is_signed = value == "true" || value == "1";
    if (name == "byte_order") type.big_endian = value == "be" || value == "network";
  }

  void skip_attributes() {
    while (!tokens_.take_if("}")) tokens_.take();
  }

  std::string optional_name() {
    const std::string_view next = tokens_.peek();
    if (next.empty()) throw EndOfText();
    return is_word_character(next.front()) ? std::string(tokens_.take()) : "";
  }

  CtfType parse_structure() {
    const std::string name = optional_name();
    if (tokens_.peek() != "{") {
      const auto known = aliases_.find("struct " + name);
      if (known == aliases_.end()) {
        if (tokens_.at_end()) throw EndOfText();
        refuse_type(fmt::format("struct '{}' is not declared", name));
      }
      count_types(known->second);
      return known->second;
    }
    CtfType type = of_kind(CtfType::Kind::structure);
    type.fields = parse_fields();
    if (tokens_.take_if("align")) {
      tokens_.expect("(");
      type.align_bits = std::max<std::uint32_t>(1, small_number(tokens_.take()));
      tokens_.expect(")");
    }
    if (!name.empty()) aliases_["struct " + name] = type;
    return type;
  }

  std::vector<CtfField> parse_fields() {
    std::vector<CtfField> fields;
    tokens_.expect("{");
    while (!tokens_.take_if("}")) {
      CtfField field;
      field.type = parse_type();
      field.name = std::string(tokens_.take());
      if (tokens_.take_if("[")) parse_repeat(field);
      tokens_.expect(";");
      fields.push_back(std::move(field));
    }
    return fields;
  }

  void parse_repeat(CtfField& field) {
    const std::string count = words_until("]");
    tokens_.expect("]");
    if (count.empty()) refuse_type(fmt::format("array '{}' has no length", field.name));
    const bool fixed = count.front() >= '0' && count.front() <= '9';
    field.repeat = fixed ? CtfField::Repeat::fixed : CtfField::Repeat::counted;
    if (fixed) {
      field.count = number(count);
    } else {
      field.count_field = count;
    }
  }

  CtfType parse_enumeration() {
    const std::string name = optional_name();
    tokens_.expect(":");
    const CtfType container = parse_type();
    if (container.kind != CtfType::Kind::integer)
      refuse_type("the container of an enumeration is not an integer");
    CtfType type = container;
    type.kind = CtfType::Kind::enumeration;
    tokens_.expect("{");
    std::uint64_t next = 0;
    while (!tokens_.take_if("}")) {
      CtfType::Label label{unquoted(tokens_.take()), next, next};
      if (tokens_.take_if("=")) {
        label.first = label.last = number(tokens_.take());
        if (tokens_.take_if("...")) label.last = number(tokens_.take());
      }
      next = label.last + 1;
      type.labels.push_back(std::move(label));
      if (tokens_.peek() != "}") tokens_.expect(",");
    }
    if (!name.empty()) aliases_["enum " + name] = type;
    return type;
  }

  CtfType parse_variant() {
    CtfType type = of_kind(CtfType::Kind::variant);
    optional_name();
    if (tokens_.take_if("<")) {
      type.tag = words_until(">");
      tokens_.expect(">");
    }
    type.fields = parse_fields();
    return type;
  }

  Tokens tokens_;
  std::map<std::string, CtfType> aliases_;
  int depth_ = 0;
  std::size_t types_ = 0;
};

}  // namespace

std::optional<std::vector<CtfBlock>> parse_ctf_declarations(std::string_view text) {
  try {
    return Parser(text).parse();
  } catch (const EndOfText&) {
    return std::nullopt;
  }
}

}  // namespace tailgate
