#include "providers/syslog/rotated_lines.h"

#include <utility>

#include "providers/syslog/session.h"

namespace tailgate::syslog {

RotatedLines::RotatedLines(std::filesystem::path event_file) : event_file_(std::move(event_file)) {
  open_next();
}

// The file after those that were read: put aside already, or the current one. If it is put aside
// meanwhile, nothing of it was read, so it is opened again by its new name.
void RotatedLines::open_next() {
  const std::filesystem::path aside = rotated_file(event_file_, rotations_ + 1);
  std::error_code ignored;
  if (!std::filesystem::exists(aside, ignored)) lines_.emplace(event_file_);
  if (std::filesystem::exists(aside, ignored)) lines_.emplace(aside);
}

// rsyslogd writes into the next file once it has closed this one, so the first event there is the
// sign that this one is complete.
bool RotatedLines::next_has_events() const {
  std::error_code gone;
  if (!std::filesystem::exists(rotated_file(event_file_, rotations_ + 1), gone)) return false;
  if (std::filesystem::exists(rotated_file(event_file_, rotations_ + 2), gone)) return true;
  const std::uintmax_t bytes = std::filesystem::file_size(event_file_, gone);
  return !gone && bytes > 0;
}

std::size_t RotatedLines::poll(EventVisitor& visitor) {
  while (true) {
    const bool complete = next_has_events();
    if (const std::size_t events = lines_->poll(visitor); events > 0) return events;
    if (!complete) return 0;
    lines_->finish(visitor);
    ++rotations_;
    open_next();
  }
}

// rsyslogd has ended: every file is complete.
void RotatedLines::finish(EventVisitor& visitor) {
  std::error_code gone;
  while (true) {
    while (lines_->poll(visitor) > 0) {
    }
    lines_->finish(visitor);
    if (!std::filesystem::exists(rotated_file(event_file_, rotations_ + 1), gone)) return;
    ++rotations_;
    open_next();
  }
}

}  // namespace tailgate::syslog
