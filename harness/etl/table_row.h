// An event as a row of a table, in bytes that one thread makes and another one reads: all that is
// costly about a row but for the insertion.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/etl/event_path.h"

namespace tailgate::etl {

// The most bytes of a field's name that a row keeps.
inline constexpr std::size_t kMaxRowNameBytes = 200;

// What every row has. Ids and processors that are not known are as in RecordHeader and Record.
struct RowHead {
  const LogFileHeader* session = nullptr;
  std::uint64_t session_number = 0;
  std::int64_t time_ns = 0;  // since the session's start
  std::uint32_t process_id = 0;
  std::uint32_t thread_id = 0;
  std::uint16_t processor = 0;
  std::uint16_t id = 0;
  std::uint16_t version = 0;
  std::uint8_t opcode = 0;
  std::uint8_t level = 0;
};

// Texts that a row may have, valid UTF-8; empty: none.
enum class RowText : std::uint8_t {
  provider,
  event,
  activity,
  message,
  process,
  file,
  image,
  misfit,  // as append_misfits() writes it
};
inline constexpr std::size_t kRowTexts = 8;

// The value of a field at the top.
struct Cell {
  enum class Kind : std::uint8_t {
    none,     // left out: see append_row()
    integer,  // in 64 bits with a sign
    boolean,
    real,
    number,  // an integer that has no room there: its text
    text,    // valid UTF-8
    json,    // an array or a structure
    bytes,
  };
  Kind kind = Kind::none;
  std::int64_t integer = 0;  // boolean: 0 or 1
  double real = 0;
  std::string_view text;  // of a real number, too; the bytes

  // The value in a JSON document; bytes are hex digits.
  void append_json(std::string& out) const;
};

// Refers to the bytes that it was read from.
struct TableRow {
  RowHead head;
  std::array<std::string_view, kRowTexts> texts;
  std::string_view names;  // see row_names(); equal for rows with the same names only
  std::vector<Cell> cells;

  std::string_view text(RowText which) const { return texts[static_cast<std::size_t>(which)]; }
};

// Appends the event's row. An event's fields end after 16 MB of text: the cells behind have no
// value, and the row is marked as damaged.
void append_row(const EventView& view, std::size_t session_number, std::string& out);

// Reads the first of the rows that append_row() wrote, and takes it away. False at the end.
bool take_row(std::string_view& rows, TableRow& row);

// The fields' names, one for each cell.
std::vector<std::string_view> row_names(const TableRow& row);

}  // namespace tailgate::etl
