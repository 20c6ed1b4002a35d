// Events, a growing file and a recording visitor for the readers' tests.
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "harness/base/testing/test_directory.h"
#include "harness/sink/sink.h"

namespace tailgate {

// One whole event of thread 0, as a string.
inline std::string event_text(std::uint64_t sequence, std::size_t size_bytes = 100,
                              EventEncoding encoding = EventEncoding::binary) {
  std::vector<std::byte> event = prepare_event(encoding, size_bytes);
  stamp_event(event.data(), encoding,
              {.run = 1,
               .thread = 0,
               .size_bytes = static_cast<std::uint16_t>(event.size()),
               .sequence = sequence,
               .emit_ns = 1000 + sequence});
  return {reinterpret_cast<const char*>(event.data()), event.size()};
}

// Counts what a reader hands over and keeps the sequence numbers.
class Record : public EventVisitor {
 public:
  explicit Record(EventEncoding encoding = EventEncoding::binary) : encoding_(encoding) {}

  void event(std::span<const std::byte> bytes) override {
    EventStamp stamp;
    if (check_event(bytes, encoding_, stamp) == EventCheck::intact) {
      sequences.push_back(stamp.sequence);
    } else {
      ++bad_events;
    }
    event_bytes += bytes.size();
  }
  void damage(std::size_t bytes) override { damaged_bytes += bytes; }

  std::vector<std::uint64_t> sequences;
  std::size_t bad_events = 0;
  std::size_t event_bytes = 0;
  std::size_t damaged_bytes = 0;

 private:
  EventEncoding encoding_;
};

// A file that tests write piece by piece.
class GrowingFile {
 public:
  GrowingFile() { write(0, ""); }

  void append(const std::string& bytes) {
    std::ofstream(path(), std::ios::binary | std::ios::app) << bytes;
  }
  void write(std::streamoff at, const std::string& bytes) {
    if (!std::filesystem::exists(path())) std::ofstream(path()).flush();
    std::fstream file(path(), std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(at);
    file << bytes;
  }
  std::filesystem::path path() const { return directory_.path() / "events"; }

 private:
  TestDirectory directory_;
};

}  // namespace tailgate
