// What conditions and columns name of an event: what its record says, or its fields.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/etl/decoder.h"
#include "harness/etl/field_value.h"
#include "harness/etl/log_header.h"

namespace tailgate::etl {

class SessionNames;

// An event with what its time and its names need. Refers to all of them.
struct EventView {
  const DecodedEvent& event;
  const Record& record;
  const SessionClock& clock;
  const LogFileHeader& session;
  const SessionNames* names = nullptr;  // null: none are known
};

// What every event has. The names are those of the members.
enum class EventColumn : std::uint8_t {
  time_ms,  // since the session's start
  time_utc,
  time_local,  // in the time zone of the machine that recorded
  cpu,
  pid,
  tid,
  kernel_ticks,  // CPU time of the thread so far, as the record has it: see has_cpu_times()
  user_ticks,
  provider,
  event,
  id,
  version,
  opcode,
  level,
  task,
  keyword,
  activity,
  related_activity,
  kind,  // of the record's header
  length_bytes,
  message,  // of WPP
  fields,   // all of them, as a JSON object
  misfit,   // what does not fit: see append_misfits()
  process,  // the names of trace_names.h
  file,
  image,
};

// Appends marks of what does not fit, each behind a separator; see kDumpColumns. complete: the
// event is, and so are the fields that were shown.
void append_misfits(const DecodedEvent& event, bool complete, std::string_view separator,
                    std::string& out);

// A value that a path leads to.
class PathValue {
 public:
  PathValue(const EventView& view, EventColumn column) : view_(view), column_(column) {}
  PathValue(const EventView& view, const Field& field) : view_(view), field_(&field) {}

  // Nothing for a value that is no number.
  std::optional<Number> number() const;
  void append_text(std::string& out) const;

 private:
  const EventView& view_;
  EventColumn column_{};
  const Field* field_ = nullptr;  // null: the column
};

// A column's name, or the path of a field: "Size", "Values.Count" for a member of a structure. The
// members of all elements of an array have one path. Case does not matter in fields' names. A field
// that is named like a column is "fields.pid"; a name with other characters than letters, digits
// and '_' stands in back quotes.
class EventPath {
 public:
  // Parses a whole text. Throws Error that names the position.
  static EventPath parse(std::string_view text);
  // Parses the path at the text's index `at`, which it moves behind it. Returns nothing when there
  // is none.
  static std::optional<EventPath> parse_at(std::string_view text, std::size_t& at);

  const std::string& name() const { return name_; }  // as it was written
  bool is_column() const { return column_.has_value(); }
  // The field at the top, which no event has when the path is misspelt. Not of a column.
  const std::string& top_field() const { return parts_.front(); }

  // Whether the event has anything there.
  bool is_in(const EventView& view) const;

  // Calls visit with each value until that returns true; then returns true.
  bool any_value(const EventView& view, const std::function<bool(const PathValue&)>& visit) const;

  // Appends what the path leads to and returns true; false when the event has nothing there. The
  // values of an array are separated by commas; structures are JSON.
  bool append_text(const EventView& view, std::string& out) const;

 private:
  std::string name_;
  std::optional<EventColumn> column_;
  std::vector<std::string> parts_;
};

}  // namespace tailgate::etl
