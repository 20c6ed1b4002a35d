// The statistics that rsyslogd writes about itself (module impstats, format="json", log.file).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace tailgate::syslog {

// The last complete account of the queue "events" and of its input; zeros before the first. Each
// account is a group of lines, one a counter object; the queue's comes after the input's.
// Source: rsyslog documentation, "impstats" and "Queue object" (counters of core.queue).
struct QueueAccount {
  std::uint64_t accounts = 0;             // how many were seen
  std::uint64_t submitted = 0;            // imuxsock: datagrams taken from the socket
  std::uint64_t size = 0;                 // now in the queue
  std::uint64_t discarded_full = 0;       // dropped: still full after the time-out
  std::uint64_t discarded_near_full = 0;  // dropped: above a mark, for their severity
  friend bool operator==(const QueueAccount&, const QueueAccount&) = default;
};

// Takes one line of the file, without its line feed. Any bytes are safe; what is not a line of
// those changes nothing.
void take_statistics_line(std::string_view line, QueueAccount& account);

// The whole file; a last line without its line feed is left out. No file: all zeros.
QueueAccount read_statistics(const std::filesystem::path& file);

}  // namespace tailgate::syslog
