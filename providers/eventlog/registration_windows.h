// The registry's part of the sink's own log: without an entry there, Windows puts a source's events
// into its log Application. Layout: https://learn.microsoft.com/windows/win32/eventlog/eventlog-key
#pragma once

#include <cstdint>
#include <string>

namespace tailgate::eventlog {

struct LogSettings {
  std::uint32_t max_bytes = 0;
  bool overwrites = true;
};

// A source in the log Tailgate, which is registered with the first source and removed with the last
// one, its events cleared.
class Registration {
 public:
  // Throws Error; nothing is left then.
  Registration(const std::string& source, const LogSettings& settings);
  ~Registration();
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;

  // As the registry holds them: a log that is there already keeps what it had.
  LogSettings settings() const;

 private:
  std::string source_;
};

// Whether this user may register a log.
bool may_register();

// Removes sources whose processes are gone.
void remove_dead_registrations();

}  // namespace tailgate::eventlog
