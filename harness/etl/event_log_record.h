// One event of the event log as the record of a trace, without its time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tailgate::etl {

struct EventLogRecord {
  std::int64_t filetime = 0;
  std::string bytes;  // an EVENT_HEADER record whose time is 0; at most 65,535 bytes
};

// Where the record's time is: eight bytes.
inline constexpr std::size_t kRecordTimeAt = 0x10;

// Reads the XML of an event. Returns nothing when it is no XML, or no event with a provider, a time
// and possible numbers. An event that a record cannot hold has its XML in the field "EventXml",
// cut, with "cut_bytes" for what is missing.
std::optional<EventLogRecord> event_log_record(std::string_view xml);

}  // namespace tailgate::etl
