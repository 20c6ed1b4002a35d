// The statistics that rsyslogd writes about itself (module impstats, format="json", log.file).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace tailgate::syslog {

// The last complete report on the queue "events" and its input; zeros before the first report. A
// report is a group of lines, one per counter object; the queue's line comes after the input's.
// Source: rsyslog documentation, "impstats" and "Queue object" (counters of core.queue).
struct QueueAccount {
  std::uint64_t accounts = 0;             // complete reports so far
  std::uint64_t submitted = 0;            // imuxsock: datagrams taken from the socket
  std::uint64_t size = 0;                 // events in the queue now
  std::uint64_t discarded_full = 0;       // dropped: the queue was still full after the time-out
  std::uint64_t discarded_near_full = 0;  // dropped: the queue was above a mark for their severity
  friend bool operator==(const QueueAccount&, const QueueAccount&) = default;
};

// Parses one line of the file, given without its line feed. Safe for any bytes; lines of other
// kinds change nothing.
void take_statistics_line(std::string_view line, QueueAccount& account);

// Parses the whole file, except a last line without its line feed. A missing file gives zeros.
QueueAccount read_statistics(const std::filesystem::path& file);

}  // namespace tailgate::syslog
