#include "harness/base/toml_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <iterator>

// toml++ asserts what a text need not keep ("[[" and a line feed), or has the compiler assume it,
// where its parser would say what is wrong. So both are left out of every build.
#undef NDEBUG
#define TOML_ASSERT(expression) static_assert(true)
#define TOML_EXCEPTIONS 1
#include <toml++/toml.h>

#include "harness/base/error.h"
#include "harness/base/options.h"

namespace tailgate {

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
        made.key_ = key.str();
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
      node.value_ = *text;
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

// Where a quoted text that begins there ends: behind its last quote, or at the end of its line or
// of the file if that is missing.
std::size_t end_of_quoted(std::string_view text, std::size_t begin) {
  const char quote = text[begin];
  const std::string_view marks = text.substr(begin, 3);
  const bool many_lines = marks == R"(""")" || marks == "'''";
  std::size_t at = begin + (many_lines ? 3 : 1);
  while (at < text.size()) {
    if (quote == '"' && text[at] == '\\') {
      at += 2;
    } else if (!many_lines && text[at] == '\n') {
      return at;
    } else if (many_lines ? text.substr(at, 3) == marks : text[at] == quote) {
      at = text.find_first_not_of(quote, at);  // two of the text itself may stand before the last
      return std::min(at, text.size());
    } else {
      ++at;
    }
  }
  return text.size();
}

// Whether a quote there begins a quoted text; within a bare word it is a part of that.
bool begins_quoted(std::string_view text, std::size_t at) {
  constexpr std::string_view kBefore = " \t\r\n=,[{.";
  const bool is_quote = text[at] == '"' || text[at] == '\'';
  return is_quote && (at == 0 || kBefore.find(text[at - 1]) != std::string_view::npos);
}

// Refuses what toml++ cannot stand outside of quotes and comments. It makes and destroys tables by
// recursion, so that a key of some ten thousand parts ends in a stack overflow; a part of a key
// ends with a dot. Of a character that is not ASCII it asks whether it is a space, and has the
// compiler assume that it is none of many others.
void refuse_unsafe(std::string_view text, const std::string& origin) {
  constexpr int kMaxDots = 64;  // a number has one, a date none
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  constexpr const char* kRemedy = "correct the TOML there";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::ptrdiff_t line = 1;
  int dots = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    std::size_t end = at + 1;
    if (c == '#') {
      end = std::min(text.find('\n', at), text.size());
    } else if (begins_quoted(text, at)) {
      end = std::min(end_of_quoted(text, at), text.size());
    } else if (static_cast<unsigned char>(c) >= 0x80) {
      throw Error(fmt::format("{}:{}: a character outside of quotes is not ASCII", origin, line),
                  kRemedy);
    } else if (c == '.' && ++dots > kMaxDots) {
      throw Error(fmt::format("{}:{}: a key has more than {} parts", origin, line, kMaxDots),
                  kRemedy);
    }
    const auto lines = std::count(text.begin() + static_cast<std::ptrdiff_t>(at),
                                  text.begin() + static_cast<std::ptrdiff_t>(end), '\n');
    line += lines;
    if (lines > 0) dots = 0;
    at = end;
  }
}

TomlNode parse_toml(std::string_view text, const std::string& origin) {
  refuse_unsafe(text, origin);
  try {
    return TomlTreeMaker(origin).tree_of(toml::parse(text, origin));
  } catch (const toml::parse_error& error) {
    throw Error(fmt::format("{}:{}: {}", origin, error.source().begin.line, error.description()),
                "correct the TOML there");
  }
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
