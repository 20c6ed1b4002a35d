// What the kernel's `format` files say of a kind of record, and where in a record the event lies
// that was written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/event.h"

namespace tailgate::tracefs {

struct FormatField {
  std::string name;
  std::size_t offset_bytes = 0;  // in the record's data
  std::size_t size_bytes = 0;    // 0: to the end of the record
};

// A format file: a name, an ID and fields, a line each (kernel: Documentation/trace/events.rst,
// "Event formats"). events/header_page is one without name and ID.
struct EventFormat {
  std::string name;
  std::uint16_t id = 0;
  std::vector<FormatField> fields;

  // Throws Error that names the field when there is none of that name.
  const FormatField& field(std::string_view field_name) const;
};

// Throws Error where a line of a field, or the ID, holds no number that fits.
EventFormat parse_event_format(std::string_view text);

// How the event lies in a record.
enum class Carriage : std::uint8_t {
  raw,      // trace_marker_raw: from a field to the end, which is rounded up
  text,     // trace_marker: from a field to a line feed or a zero byte, whichever ends it
  located,  // user_events: a __rel_loc field holds length << 16 | distance from the field's end
};

struct RecordFormat {
  std::uint16_t id = 0;
  std::size_t id_at = 0;
  std::size_t event_at = 0;  // the field: the event's first byte, or its __rel_loc
  Carriage carriage = Carriage::raw;
};

// The record format for a format file whose field event_field carries the event. Throws Error.
RecordFormat record_format(std::string_view format_text, std::string_view event_field,
                           Carriage carriage);

enum class Found : std::uint8_t { event, foreign, damaged };

// Finds the event in a record's data. foreign: another kind of record. Any bytes are safe.
Found find_event(const RecordFormat& format, std::span<const std::byte> data,
                 std::span<const std::byte>& event);

}  // namespace tailgate::tracefs
