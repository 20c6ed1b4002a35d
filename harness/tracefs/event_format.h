// Parses the kernel's `format` files, which describe the records of an event, and finds the payload
// that a program wrote within a record.
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
  std::size_t offset_bytes = 0;  // from the start of the record's data
  std::size_t size_bytes = 0;    // 0: to the end of the record
};

// The content of a format file: name, ID and fields, one per line (kernel:
// Documentation/trace/events.rst, "Event formats"). events/header_page has fields but no name and
// no ID.
struct EventFormat {
  std::string name;
  std::uint16_t id = 0;
  std::vector<FormatField> fields;

  // Returns the field of that name. Throws Error that names the field if there is none.
  const FormatField& field(std::string_view field_name) const;
};

// Throws Error if the ID, or a field's offset or size, is missing or out of range.
EventFormat parse_event_format(std::string_view text);

// How a record contains the event.
enum class Carriage : std::uint8_t {
  raw,      // trace_marker_raw: from a field to the record's end, padded to words
  text,     // trace_marker: from a field to the first line feed or zero byte
  located,  // user_events: a __rel_loc field holds length << 16 | distance from the field's end
};

struct RecordFormat {
  std::uint16_t id = 0;
  std::size_t id_at = 0;
  std::size_t event_at = 0;  // offset of the event's first byte, or of its __rel_loc field
  Carriage carriage = Carriage::raw;
};

// Returns the record format for a format file whose field `event_field` contains the event. Throws
// Error if the file lacks the field.
RecordFormat record_format(std::string_view format_text, std::string_view event_field,
                           Carriage carriage);

enum class Found : std::uint8_t { event, foreign, damaged };

// Finds the event in a record's data. Returns Found::foreign for a record of another event. Accepts
// any bytes.
Found find_event(const RecordFormat& format, std::span<const std::byte> data,
                 std::span<const std::byte>& event);

}  // namespace tailgate::tracefs
