// An event as a line of a dump: TSV, CSV, JSON or XML.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/etl/event_path.h"
#include "harness/etl/report.h"

namespace tailgate::etl {

class DumpText {
 public:
  explicit DumpText(const DumpOptions& options);

  // The line of column names, or the start of the XML document; nothing for JSON.
  void append_heading(std::string& out) const;
  // The document's end; nothing for all but XML.
  void append_footing(std::string& out) const;

  // attributed: as of EventStream.
  void append(const EventView& view, bool attributed, std::string& out);

  // Takes over which columns another dump with the same options had, and what it replaced.
  void add_seen(const DumpText& other);

  // Says which of the user's columns no row had, and how many characters XML does not allow; empty
  // when there are none.
  std::string what_is_missing() const;

 private:
  struct Column {
    EventPath path;
    bool seen = false;
  };

  void append_row(const EventView& view, std::string& out);
  void append_cell(std::string_view text, std::string& out) const;

  DumpFormat format_;
  DumpTime time_;
  std::vector<Column> columns_;  // empty: the standard ones as TSV, or JSON
  std::string cell_;
  std::uint64_t replaced_ = 0;  // characters that XML does not allow
};

}  // namespace tailgate::etl
