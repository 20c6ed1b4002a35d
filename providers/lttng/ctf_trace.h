// Reads all LTTng-UST traces below a folder, also while LTTng still adds packets.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "providers/lttng/ctf_layout.h"
#include "providers/lttng/ctf_packet.h"
#include "providers/lttng/file_id.h"

namespace tailgate {

class CtfVisitor {
 public:
  virtual ~CtfVisitor() = default;
  virtual void event(const CtfEvent& event) = 0;  // the payload is valid during the call only
  virtual void damage(std::size_t bytes) = 0;     // bytes that should have been events
};

// What the packets' headers tell of lost events. In all packets that were read, or in one stream's.
struct CtfLosses {
  std::uint64_t discarded_events = 0;      // the tracer counted them
  std::uint64_t missing_packets = 0;       // numbers missing before the last packet's
  std::uint64_t missing_events_limit = 0;  // the missing packets cannot contain more events
};

// The file of one data stream: the packets of one CPU's buffer, one after another. A packet is
// handed over once the file contains all of it. After damage the reader goes on at the next packet
// header.
class CtfStream {
 public:
  explicit CtfStream(std::filesystem::path path) : path_(std::move(path)) {}

  const std::filesystem::path& path() const { return path_; }
  // A rotation has moved the file.
  void moved_to(std::filesystem::path path) { path_ = std::move(path); }

  // The number of its first packet, of all that its buffer's packets have; 0 before it is there.
  // Call it before the first read().
  std::uint64_t first_sequence(const CtfLayout& layout);

  // Hands over packets until none is left or about budget_bytes were read. Returns the number of
  // events. Throws Error.
  std::size_t read(const CtfLayout& layout, std::size_t budget_bytes, CtfVisitor& visitor);

  // Hands over the whole events of a cut-off packet at the end; the rest of it is damage.
  void finish(const CtfLayout& layout, CtfVisitor& visitor);

  std::uint64_t discarded_events() const { return discarded_events_; }
  std::uint64_t packets() const { return packets_; }
  std::uint64_t next_packet() const { return next_packet_; }  // highest number + 1

  // The smallest event that was read, with its header. kNoEvent: none was read.
  std::size_t smallest_event_bytes() const { return smallest_event_bytes_; }
  static constexpr std::size_t kNoEvent = static_cast<std::size_t>(-1);

 private:
  bool fill_window(std::size_t wanted_bytes);
  bool open();
  std::size_t take_packet(const CtfLayout& layout, const CtfPacket& packet, CtfVisitor& visitor);
  void count(const CtfPacket& packet);
  void skip_damage(const CtfLayout& layout, CtfVisitor& visitor);
  std::span<const std::byte> ahead() const;
  void consume(std::size_t bytes) { begin_ += bytes; }

  std::filesystem::path path_;
  std::filebuf file_;
  std::vector<std::byte> window_;
  std::size_t begin_ = 0;              // first byte in the window that was not consumed
  std::size_t end_ = 0;                // end of the bytes in the window
  std::uint64_t window_at_bytes_ = 0;  // the window's position in the file

  std::uint64_t packets_ = 0;
  std::uint64_t next_packet_ = 0;  // highest sequence number + 1
  std::uint64_t discarded_events_ = 0;
  std::size_t smallest_event_bytes_ = kNoEvent;
};

// All traces below a folder. A sub-folder with a file `metadata` is one trace; the other files in
// it are its streams (the folder `index` contains none). The packets of one buffer are in several
// files where these have a limited size, or where the session was rotated, which moves what there
// is into another folder and begins anew.
class CtfTraceReader {
 public:
  explicit CtfTraceReader(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // Nobody writes any more: reads the files of each buffer in the order of its packets, one after
  // another.
  void read_in_order() { in_order_ = true; }

  // Hands over what became readable, for a few milliseconds at most, and returns the number of
  // events. It reads stream after stream, so events of different CPUs are not in order. Throws
  // Error when the layout of a trace is not the one that this reader knows.
  std::size_t poll(CtfVisitor& visitor);

  // Call it when nothing more will be written: hands over all that is left.
  void finish(CtfVisitor& visitor);

  // packet_bytes: the size of a missing packet. The limit assumes that no missing event is smaller
  // than all events that were read; it is 0 when none was read.
  CtfLosses losses(std::size_t packet_bytes) const;

 private:
  // A stream is known by its file, which a rotation moves.
  struct Stream {
    FileId file;
    std::unique_ptr<CtfStream> data;
  };

  void scan();
  void add_stream(const std::filesystem::path& path);
  void sort_streams();
  // Nothing until the metadata declares the event.
  const CtfLayout* layout_of(const CtfStream& stream) const;
  std::size_t read_known(CtfVisitor& visitor);

  std::filesystem::path folder_;
  std::map<std::filesystem::path, std::optional<CtfLayout>> traces_;  // by folder
  std::vector<Stream> streams_;                                       // in the order of reading
  bool in_order_ = false;
  std::chrono::steady_clock::time_point scanned_{};
};

}  // namespace tailgate
