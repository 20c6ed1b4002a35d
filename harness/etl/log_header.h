// TRACE_LOGFILE_HEADER, the payload of a file's first record: the session's settings and losses,
// and how its clock is converted to time. Source: evntrace.h, Geoff Chappell (NTWMI).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/etl/bytes.h"
#include "harness/etl/record.h"
#include "harness/etl/time_zone.h"

namespace tailgate::etl {

// Bits of a session's mode.
inline constexpr std::uint32_t kModeSequential = 0x1;  // for tests
inline constexpr std::uint32_t kModeCircular = 0x2;
inline constexpr std::uint32_t kModeAppend = 0x4;  // for tests
inline constexpr std::uint32_t kModeCompressed = 0x4000000;
inline constexpr std::uint32_t kModeNoPerProcessorBuffering = 0x10000000;

enum class ClockType : std::uint32_t { performance_counter = 1, system_time = 2, cpu_cycles = 3 };

enum class CompressionFormat : std::uint16_t {
  none = 0,
  lznt1 = 2,
  xpress = 3,
  xpress_huffman = 4
};

struct LogFileHeader {
  std::uint32_t buffer_bytes = 0;
  std::uint8_t os_major = 0;
  std::uint8_t os_minor = 0;
  std::uint8_t format_major = 0;  // 1 plain, 2 a file with compression
  std::uint8_t format_minor = 0;
  std::uint32_t os_build = 0;
  std::uint32_t processors = 0;
  std::int64_t end_filetime = 0;  // 0: the file was not closed; in merged files, of one source only
  std::uint32_t timer_resolution_100ns = 0;
  std::uint32_t max_file_mb = 0;
  std::uint32_t mode = 0;  // kModeSequential and so on
  std::uint32_t buffers_written = 0;
  std::uint32_t start_buffers = 0;
  std::uint32_t pointer_bytes = 8;  // of the machine that recorded
  std::uint32_t events_lost = 0;
  std::uint32_t cpu_mhz = 0;
  TimeZone time_zone;  // of the machine that recorded
  std::int64_t boot_filetime = 0;
  std::int64_t clock_hz = 0;  // rate of the session clock; see clock_type
  std::int64_t start_filetime = 0;
  std::int64_t start_raw = 0;  // the same instant on the session clock, which is the header
                               // record's time
  ClockType clock_type = ClockType::performance_counter;
  std::uint32_t buffers_lost = 0;
  std::string session_name;   // UTF-8
  std::string log_file_name;  // UTF-8
  CompressionFormat compression = CompressionFormat::none;
};

// Decodes a record that RecordCursor read from a header buffer. header_state: the State of that
// buffer, which is the compression format. Returns nothing when the record is another one or too
// short.
std::optional<LogFileHeader> parse_log_header(const Record& record, std::uint32_t header_state);

// Converts the session clock to time. Source of the formula: the documentation of
// PROCESS_TRACE_MODE_RAW_TIMESTAMP, checked against times that PerfView prints.
class SessionClock {
 public:
  SessionClock() = default;
  explicit SessionClock(const LogFileHeader& header);

  // Ticks of the session clock per second; at least 1.
  std::int64_t ticks_per_second() const { return ticks_per_second_; }
  std::int64_t start_raw() const { return start_raw_; }

  // FILETIME (100 ns since 1601-01-01 UTC), saturating.
  std::int64_t filetime(std::int64_t raw) const;
  // ns since the start of the session, saturating.
  std::int64_t elapsed_ns(std::int64_t raw) const;

 private:
  std::int64_t ticks_per_second_ = kFiletimeTicksPerSecond;
  std::int64_t start_raw_ = 0;
  std::int64_t start_filetime_ = 0;
};

}  // namespace tailgate::etl
