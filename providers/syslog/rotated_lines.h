// Consumer of the file that rsyslogd writes, and of those that rotations have put aside.
#pragma once

#include <filesystem>
#include <optional>

#include "providers/shared/readback/line_events.h"

namespace tailgate::syslog {

class RotatedLines : public Consumer {
 public:
  // Throws Error when the file does not exist.
  explicit RotatedLines(std::filesystem::path event_file);

  std::size_t poll(EventVisitor& visitor) override;
  void finish(EventVisitor& visitor) override;

 private:
  void open_next();
  bool next_has_events() const;

  std::filesystem::path event_file_;
  std::size_t rotations_ = 0;  // files that were read to the end
  std::optional<LineEventsConsumer> lines_;
};

}  // namespace tailgate::syslog
