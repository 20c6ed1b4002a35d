// Writes an .evtx file with known content, for tests: one chunk, whose events share a template.
// Source: libyal's documentation of the Windows XML Event Log format, and [MS-EVEN6] for the binary
// XML. It shares no code with what reads such files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tailgate::etl {

struct EventLogFileRecord {
  std::uint64_t number = 1;
  std::int64_t filetime = 132'000'000'000'000'000;
  std::uint16_t id = 4242;
  std::uint8_t level = 4;
  std::uint32_t process = 500;
  std::uint32_t thread = 8;
  std::string user;        // the value of the field TargetUserName; ASCII
  std::uint32_t size = 0;  // the value of the field Size
};

// The bytes of a file with these events of the provider "Test-Provider"
// ({6a399ae0-4bc6-4de9-870b-3657f8947e7e}) in the channel "Test/Operational".
std::vector<std::uint8_t> event_log_file(const std::vector<EventLogFileRecord>& records);

}  // namespace tailgate::etl
