#include "harness/base/toml_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <utility>

// toml++ asserts what a text need not keep ("[[" and a line feed), or has the compiler assume it,
// where its parser would say what is wrong. So both are left out of every build.
#undef NDEBUG
#define TOML_ASSERT(expression) static_assert(true)
#define TOML_EXCEPTIONS 1
#include <toml++/toml.h>

#include "harness/base/error.h"
#include "harness/base/options.h"
#include "harness/base/quoting.h"

namespace tailgate {
namespace {

// toml++ asks of characters that are not ASCII whether they are spaces, and has the compiler assume
// that they are none of a thousand letters. So it gets every byte of them, and '~', as '~' and two
// hexadecimal digits.
bool is_rewritten(unsigned value) {
  return value >= 0x80 || value == '~';
}

std::string as_ascii(std::string_view text) {
  std::string ascii;
  ascii.reserve(text.size());
  for (const char c : text) {
    const auto value = static_cast<unsigned char>(c);
    if (is_rewritten(value)) {
      ascii += fmt::format("~{:02x}", value);
    } else {
      ascii += c;
    }
  }
  return ascii;
}

std::string from_ascii(std::string_view ascii) {
  std::string text;
  text.reserve(ascii.size());
  for (std::size_t at = 0; at < ascii.size(); ++at) {
    unsigned value = 0;
    const char* const digits = ascii.data() + at + 1;
    if (ascii[at] == '~' && at + 2 < ascii.size() &&
        std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2 && is_rewritten(value)) {
      text += static_cast<char>(value);
      at += 2;
    } else {
      text += ascii[at];
    }
  }
  return text;
}

}  // namespace

class TomlTreeMaker {
 public:
  explicit TomlTreeMaker(const std::string& origin)
      : origin_(std::make_shared<const std::string>(origin)) {}

  TomlNode tree_of(const toml::node& from) const {
    TomlNode node;
    node.origin_ = origin_;
    node.line_ = from.source().begin.line;
    if (const toml::table* table = from.as_table()) {
      node.kind_ = TomlNode::Kind::table;
      for (const auto& [key, entry] : *table) {
        TomlNode& made = node.entries_.emplace_back(tree_of(entry));
        made.key_ = from_ascii(key.str());
        made.key_line_ = key.source().begin.line;
      }
    } else if (const toml::array* list = from.as_array()) {
      node.kind_ = TomlNode::Kind::list;
      for (const toml::node& entry : *list) node.entries_.push_back(tree_of(entry));
    } else {
      set_value(from, node);
    }
    return node;
  }

 private:
  static void set_value(const toml::node& from, TomlNode& node) {
    if (const auto text = from.value_exact<std::string>()) {
      std::string whole_text = from_ascii(*text);
      if (!is_utf8(whole_text)) node.fail("a text is not UTF-8", "write its '~' without an escape");
      node.value_ = std::move(whole_text);
    } else if (const auto whole = from.value_exact<std::int64_t>()) {
      node.value_ = *whole;
    } else if (const auto real = from.value_exact<double>()) {
      node.value_ = *real;
    } else if (const auto flag = from.value_exact<bool>()) {
      node.value_ = *flag;
    } else if (const auto date = from.value_exact<toml::date>()) {
      node.value_ =
          TomlNode::Date{fmt::format("{:04}-{:02}-{:02}", date->year, date->month, date->day)};
    }
  }

  std::shared_ptr<const std::string> origin_;
};

std::string TomlNode::place() const {
  return fmt::format("{}:{}", *origin_, line_);
}

void TomlNode::fail(const std::string& what, const std::string& remedy) const {
  throw Error(fmt::format("{}: {}", place(), what), remedy);
}

void TomlNode::refuse_name(const std::string& what, std::string_view name,
                           const std::vector<std::string>& known) const {
  const std::string near = nearest_name(name, known);
  fail(what, near.empty() ? fmt::format("give one of: {}", fmt::join(known, ", "))
                          : fmt::format("did you mean '{}'?", near));
}

const TomlNode* TomlNode::find(std::string_view key) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const TomlNode& entry) { return entry.key_ == key; });
  return is_table() && found != entries_.end() ? &*found : nullptr;
}

const TomlNode& TomlNode::required(std::string_view key, std::string_view meaning) const {
  const TomlNode* node = find(key);
  if (node == nullptr) {
    fail(fmt::format("'{}' is missing", key), fmt::format("add {} = …: {}", key, meaning));
  }
  return *node;
}

const TomlNode* TomlNode::table_at(std::string_view key) const {
  const TomlNode* node = find(key);
  if (node != nullptr && !node->is_table()) {
    node->fail(fmt::format("{} is not a table", key),
               fmt::format("write [{}] above its settings", key));
  }
  return node;
}

std::vector<const TomlNode*> TomlNode::tables_at(std::string_view key) const {
  std::vector<const TomlNode*> tables;
  const TomlNode* node = find(key);
  if (node == nullptr) return tables;
  const std::string remedy = fmt::format("write [[{}]] before each", key);
  if (!node->is_list()) node->fail(fmt::format("{} is not a list of tables", key), remedy);
  for (const TomlNode& entry : node->entries_) {
    if (!entry.is_table()) entry.fail(fmt::format("{} is not a table", key), remedy);
    tables.push_back(&entry);
  }
  return tables;
}

void TomlNode::check_keys(const std::vector<std::string>& known) const {
  for (const TomlNode& entry : entries_) {
    if (std::find(known.begin(), known.end(), entry.key_) != known.end()) continue;
    const std::string near = nearest_name(entry.key_, known);
    throw Error(fmt::format("{}:{}: unknown key '{}'", *origin_, entry.key_line_, entry.key_),
                near.empty() ? fmt::format("known keys: {}", fmt::join(known, ", "))
                             : fmt::format("did you mean '{}'?", near));
  }
}

std::string TomlNode::text(std::string_view name) const {
  const auto* text = std::get_if<std::string>(&value_);
  if (text == nullptr) fail(fmt::format("{} is not a text", name), "put it in quotes");
  return *text;
}

bool TomlNode::flag(std::string_view name) const {
  const auto* flag = std::get_if<bool>(&value_);
  if (flag == nullptr) fail(fmt::format("{} is not true or false", name), "write true or false");
  return *flag;
}

double TomlNode::number(std::string_view name, double low, double high) const {
  double number = 0;
  if (const auto* real = std::get_if<double>(&value_)) {
    number = *real;
  } else if (const auto* whole = std::get_if<std::int64_t>(&value_)) {
    number = static_cast<double>(*whole);
  } else {
    fail(fmt::format("{} is not a number", name), fmt::format("give one from {} to {}", low, high));
  }
  if (!(number >= low && number <= high)) {
    fail(fmt::format("{} = {} is not from {} to {}", name, number, low, high),
         "give a value within");
  }
  return number;
}

std::optional<std::int64_t> TomlNode::whole() const {
  const auto* whole = std::get_if<std::int64_t>(&value_);
  return whole == nullptr ? std::nullopt : std::optional(*whole);
}

std::optional<std::string> TomlNode::date() const {
  const auto* date = std::get_if<Date>(&value_);
  return date == nullptr ? std::nullopt : std::optional(date->text);
}

std::optional<std::string> TomlNode::option_text() const {
  if (const auto* text = std::get_if<std::string>(&value_)) return *text;
  if (const auto* whole = std::get_if<std::int64_t>(&value_)) return fmt::format("{}", *whole);
  if (const auto* real = std::get_if<double>(&value_)) return fmt::format("{}", *real);
  if (const auto* flag = std::get_if<bool>(&value_)) return *flag ? "true" : "false";
  return std::nullopt;
}

// toml++ makes and destroys tables by recursion, so that a key of some ten thousand parts ends in a
// stack overflow. A part of a key ends with a dot outside of quotes.
void refuse_deep_keys(std::string_view text, const std::string& origin) {
  constexpr int kMaxDots = 64;  // a number has one, a date none
  int line = 1;
  int dots = 0;
  char quote = 0;
  bool comment = false;
  for (const char c : text) {
    if (c == '\n') {
      ++line;
      dots = 0;
      quote = 0;
      comment = false;
    } else if (comment || quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '#') {
      comment = true;
    } else if (c == '.' && ++dots > kMaxDots) {
      throw Error(fmt::format("{}:{}: a key has more than {} parts", origin, line, kMaxDots),
                  "correct the TOML there");
    }
  }
}

void refuse_other_encodings(std::string_view text, const std::string& origin) {
  for (int line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    if (!is_utf8(text.substr(0, end))) {
      throw Error(fmt::format("{}:{}: the line is not UTF-8", origin, line),
                  "save the file as UTF-8");
    }
    text.remove_prefix(end);
  }
}

TomlNode parse_toml(std::string_view text, const std::string& origin) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  refuse_other_encodings(text, origin);
  refuse_deep_keys(text, origin);
  try {
    return TomlTreeMaker(origin).tree_of(toml::parse(as_ascii(text), origin));
  } catch (const toml::parse_error& error) {
    throw Error(fmt::format("{}:{}: {}", origin, error.source().begin.line,
                            from_ascii(error.description())),
                "correct the TOML there");
  }
}

std::string toml_text(std::string_view text) {
  std::string quoted;
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      quoted += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      quoted += c;
    }
  }
  return quoted;
}

std::string read_toml_file(const std::filesystem::path& file, std::string_view what,
                           const std::string& remedy) {
  constexpr std::uintmax_t kMaxFileBytes = 1 << 20;
  std::error_code failed;
  const std::uintmax_t size_bytes = std::filesystem::file_size(file, failed);
  std::ifstream input(file, std::ios::binary);
  if (failed || !input) {
    throw Error(fmt::format("cannot read the {} '{}'", what, file.string()), remedy);
  }
  if (size_bytes > kMaxFileBytes) {
    throw Error(fmt::format("'{}' has {} bytes", file.string(), size_bytes),
                fmt::format("a {} has at most {}", what, kMaxFileBytes));
  }
  std::string text(kMaxFileBytes + 1, '\0');
  input.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (input.bad()) throw Error(fmt::format("cannot read the {} '{}'", what, file.string()), remedy);
  text.resize(static_cast<std::size_t>(input.gcount()));
  return text;
}

}  // namespace tailgate
