// Reads TOML files into a tree whose nodes know their file and line, so that every error about a
// value begins with "FILE:LINE: ". Callers do not see the TOML library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/base/error.h"

namespace tailgate {

// A value of the file. A text in quotes, a number or a date stands by itself; tables and lists hold
// further nodes.
class TomlNode {
 public:
  // "FILE:LINE".
  std::string place() const;

  // Throws Error that begins with "FILE:LINE: ".
  [[noreturn]] void fail(const std::string& what, const std::string& remedy) const;

  // Returns what `read` returns. An Error that it throws becomes one of fail().
  template <class Read>
  auto placed(Read read) const {
    try {
      return read();
    } catch (const Error& error) {
      fail(error.what_failed(), error.remedy());
    }
  }

  // Calls fail() for a name that is not in `known`; the remedy is the nearest known name, or all.
  [[noreturn]] void refuse_name(const std::string& what, std::string_view name,
                                const std::vector<std::string>& known) const;

  bool is_table() const { return kind_ == Kind::table; }
  bool is_list() const { return kind_ == Kind::list; }

  // The node's key; empty for the root and in lists.
  const std::string& key() const { return key_; }

  // The children of a table, by key, or of a list, in order; empty for other nodes.
  const std::vector<TomlNode>& entries() const { return entries_; }

  // A table's entry of that key; null if there is none.
  const TomlNode* find(std::string_view key) const;

  // The same, but throws Error if there is none. meaning: what the entry is, for the remedy.
  const TomlNode& required(std::string_view key, std::string_view meaning) const;

  // The table of a key; null if there is no such key. Throws Error if the entry is not a table.
  const TomlNode* table_at(std::string_view key) const;

  // The tables of a list written with [[key]]; empty if there is no such key. Throws Error if the
  // entry is anything else.
  std::vector<const TomlNode*> tables_at(std::string_view key) const;

  // Throws Error if the table has a key that is not in `known`.
  void check_keys(const std::vector<std::string>& known) const;

  // Returns the value. Throws Error that calls the value `name` if it has another type. A whole
  // number is accepted as a number.
  std::string text(std::string_view name) const;
  bool flag(std::string_view name) const;
  double number(std::string_view name, double low, double high) const;  // both inclusive

  // Returns the value, or nothing if it has another type.
  std::optional<std::int64_t> whole() const;
  std::optional<std::string> date() const;  // "2027-01-31"

  // Returns a text, a number, true or false as the text of an option; nothing for everything else.
  std::optional<std::string> option_text() const;

 private:
  friend class TomlTreeMaker;

  enum class Kind { table, list, value };
  struct Date {
    std::string text;
  };

  std::shared_ptr<const std::string> origin_;
  std::uint32_t line_ = 0;
  std::string key_;
  std::uint32_t key_line_ = 0;
  Kind kind_ = Kind::value;
  // monostate: a type that nothing uses, such as a time of day.
  std::variant<std::monostate, std::string, std::int64_t, double, bool, Date> value_;
  std::vector<TomlNode> entries_;
};

// Parses a TOML text and returns its root table. Throws Error that begins with "ORIGIN:LINE: " if
// it is not TOML.
TomlNode parse_toml(std::string_view text, const std::string& origin);

// Returns the text of a file of at most 1 MiB. what: its kind in errors, such as "policy". remedy:
// what to do if it cannot be read. Throws Error.
std::string read_toml_file(const std::filesystem::path& file, std::string_view what,
                           const std::string& remedy);

// Returns a text as it stands between the quotes of TOML's basic string.
std::string toml_text(std::string_view text);

}  // namespace tailgate
