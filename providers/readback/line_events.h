// Consumer of a text file that holds one event a line, alone or as the line's last word.
#pragma once

#include <filesystem>

#include "providers/readback/file_tail.h"
#include "providers/sink.h"

namespace tailgate {

// Hands over the last word of each line (a logger's pattern may put a time and a level before it);
// an event never holds a space. Where a line was cut and the next one begins in its middle, the
// bytes before that one are damage; so is a last line without its line feed.
class LineEventsConsumer : public Consumer {
 public:
  // Throws Error when the file does not exist.
  explicit LineEventsConsumer(const std::filesystem::path& path);

  std::size_t poll(EventVisitor& visitor) override;
  void finish(EventVisitor& visitor) override;

 private:
  FileTail tail_;
};

// One line without its line feed, as LineEventsConsumer treats it: hands over one event, unless the
// line is empty.
void visit_line(std::span<const std::byte> line, EventVisitor& visitor);

}  // namespace tailgate
