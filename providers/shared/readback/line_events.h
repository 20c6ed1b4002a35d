// Consumer of a text file that holds one event a line, alone, as the line's last word, or as the
// value of a field of a structured line.
#pragma once

#include <filesystem>

#include "harness/sink/sink.h"
#include "providers/shared/readback/file_tail.h"

namespace tailgate {

// Hands over the last word of each line: a logger's pattern may put time and level before the
// event, and an event contains no space. Where that is no event, the value of the field that is
// one: "msg":"EVENT" in a line of JSON, msg=EVENT among other fields. Lines end with a line feed,
// or with CR LF. Where a line was cut and the next event begins within it, the bytes of the cut
// event are damage; so is a last line without its line feed.
class LineEventsConsumer : public Consumer {
 public:
  // Throws Error when the file does not exist.
  explicit LineEventsConsumer(const std::filesystem::path& path);

  std::size_t poll(EventVisitor& visitor) override;
  void finish(EventVisitor& visitor) override;

 private:
  FileTail tail_;
};

}  // namespace tailgate
