// Compares the log lines that came out of a path with those that were sent, byte by byte, for each
// copy that the path makes of them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/base/log_lines.h"
#include "harness/result/copies.h"
#include "harness/trial/trial_memory.h"

namespace tailgate {

// In the consumer process. Uses one bit of memory per line and copy.
class LineComparison {
 public:
  // memory: of a trial whose payload is lines; counts go into its consumer block.
  LineComparison(TrialMemory& memory, EventEncoding encoding, std::size_t copies);

  const LogLines& lines() const { return lines_; }

  // Adds an event that was read back from that copy, from 0.
  void add(std::size_t copy, std::span<const std::byte> event);

  // Counts what is missing. Call it once the calls have ended and everything is read.
  void finish();

 private:
  struct Copy {
    std::vector<std::vector<bool>> seen;  // by thread and number
  };

  bool is_new(Copy& copy, const EventStamp& stamp);
  void compare(CopyBlock& block, const EventStamp& stamp, std::span<const std::byte> found);

  TrialMemory& memory_;
  EventEncoding encoding_;
  LogLines lines_;
  std::vector<Copy> copies_;
};

// What the consumer counted, as the result has it. names: of the copies.
std::vector<CopyRead> copies_read(const TrialMemory& memory, const std::vector<std::string>& names);

}  // namespace tailgate
