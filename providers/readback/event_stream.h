// Consumer of a file of events that lie one after another with nothing in between: the header's
// size is the framing. After damage it finds the next intact header and goes on from there.
#pragma once

#include <filesystem>

#include "providers/readback/file_tail.h"
#include "providers/sink.h"

namespace tailgate {

enum class FileGrowth {
  append,    // bytes below the end of the file are final
  in_place,  // the file is sized ahead; zeros where nothing was written yet, and an event may be
             // seen half written
};

// A torn event counts as damage; one whose header is intact and whose body is not, and in which no
// other event begins, is handed over as it is. In a file that grows in place, live reading waits at
// whatever is not an intact event, and finish() then tells what it was: zeros between events are
// damage, zeros after the last are the unused rest of the file.
class EventStreamConsumer : public Consumer {
 public:
  // Throws Error when the file does not exist.
  EventStreamConsumer(const std::filesystem::path& path, EventEncoding encoding, FileGrowth growth);

  std::size_t poll(EventVisitor& visitor) override;
  // Hands over all that poll() waited at, however much it is.
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
  std::size_t events_ = 0;                // handed over, ever
  std::uint64_t pending_zero_bytes_ = 0;  // damage if anything follows, else the unused rest
};

}  // namespace tailgate
