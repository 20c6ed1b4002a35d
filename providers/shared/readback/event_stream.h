// Consumer of a file that holds events one after another with nothing in between: the size in each
// header is the framing. After damage it goes on at the next intact header.
#pragma once

#include <filesystem>

#include "harness/sink/sink.h"
#include "providers/shared/readback/file_tail.h"

namespace tailgate {

enum class FileGrowth {
  append,    // bytes in the file are final
  in_place,  // the file is longer than its events: zeros stand where nothing is written yet, and a
             // reader may see a half-written event
};

// A torn event counts as damage. An event with an intact header and a changed body is handed over
// as it is, unless another event begins in it. In a file that grows in place, poll() stops at
// anything that is not an intact event; finish() decides: zeros between events are damage, zeros
// after the last event are the unused rest of the file.
class EventStreamConsumer : public Consumer {
 public:
  // Throws Error when the file does not exist.
  EventStreamConsumer(const std::filesystem::path& path, EventEncoding encoding, FileGrowth growth);

  std::size_t poll(EventVisitor& visitor) override;
  // Hands over everything that poll() stopped at, however much it is.
  void finish(EventVisitor& visitor) override;

 private:
  struct Taken {
    std::size_t bytes = 0;
    std::size_t events = 0;
  };

  Taken take(std::span<const std::byte> bytes, bool settled, bool at_end, EventVisitor& visitor);
  std::size_t take_one(std::span<const std::byte> rest, bool at_end, EventVisitor& visitor);
  std::size_t skip_to_header(std::span<const std::byte> rest, bool at_end, EventVisitor& visitor);
  void skip_damage(std::span<const std::byte> bytes, EventVisitor& visitor);
  void hand_over(std::span<const std::byte> event, EventVisitor& visitor);

  FileTail tail_;
  EventEncoding encoding_;
  FileGrowth growth_;
  std::size_t events_ = 0;                // all that were handed over
  std::uint64_t pending_zero_bytes_ = 0;  // damage if an event follows, else the unused rest
};

}  // namespace tailgate
