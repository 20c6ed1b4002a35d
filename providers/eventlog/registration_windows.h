// Registers the sink's own log and source. Windows puts the events of an unregistered source into
// its log Application. Registry layout:
// https://learn.microsoft.com/windows/win32/eventlog/eventlog-key
#pragma once

#include <cstdint>
#include <string>

namespace tailgate::eventlog {

struct LogSettings {
  std::uint32_t max_bytes = 0;
  bool overwrites = true;
};

// A source in the log Tailgate. The first source registers the log; the last one clears and removes
// it.
class Registration {
 public:
  // Throws Error and then leaves nothing behind.
  Registration(const std::string& source, const LogSettings& settings);
  ~Registration();
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;

  // The settings in the registry: a log that existed before keeps its old ones.
  LogSettings settings() const;

 private:
  std::string source_;
};

// Whether this user may register a log.
bool may_register();

// Removes the sources of processes that have ended.
void remove_dead_registrations();

}  // namespace tailgate::eventlog
