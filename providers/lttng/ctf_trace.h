// Reads all LTTng-UST traces below a folder, also while their packets are still being added.
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

namespace tailgate {

class CtfVisitor {
 public:
  virtual ~CtfVisitor() = default;
  virtual void event(const CtfEvent& event) = 0;  // the payload is valid during the call only
  virtual void damage(std::size_t bytes) = 0;     // that should have held events
};

// One data stream's file: the packets of one CPU's buffer, one after another. A packet is handed
// over when the file holds all of it. After damage it goes on at the next packet header.
class CtfStream {
 public:
  explicit CtfStream(std::filesystem::path path) : path_(std::move(path)) {}

  // Hands over packets until there is none or about budget_bytes were read; returns the events.
  // Throws Error.
  std::size_t read(const CtfLayout& layout, std::size_t budget_bytes, CtfVisitor& visitor);

  // Hands over the events of a packet that was cut off and counts what is left of it as damage.
  void finish(const CtfLayout& layout, CtfVisitor& visitor);

 private:
  bool look(std::size_t wanted_bytes);
  void open();
  std::size_t take_packet(const CtfLayout& layout, const CtfPacket& packet, CtfVisitor& visitor);
  void skip_damage(const CtfLayout& layout, CtfVisitor& visitor);
  std::span<const std::byte> ahead() const;
  void consume(std::size_t bytes) { begin_ += bytes; }

  std::filesystem::path path_;
  std::filebuf file_;
  std::vector<std::byte> window_;
  std::size_t begin_ = 0;              // of what was not consumed, in the window
  std::size_t end_ = 0;                // of what was read into the window
  std::uint64_t window_at_bytes_ = 0;  // the window's position in the file
};

// A folder's traces: each sub-folder that holds a file `metadata` is one, the other files beside it
// its streams (the folder `index` holds none).
class CtfTraceReader {
 public:
  explicit CtfTraceReader(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // Hands over what has become readable, a few milliseconds' worth at most, and returns the number
  // of events. Streams are read one after another: events of different CPUs come out of order.
  // Throws Error where a trace's layout is not the one that this reader knows.
  std::size_t poll(CtfVisitor& visitor);

  // Once nothing more will be written: hands over all that is left.
  void finish(CtfVisitor& visitor);

 private:
  struct Trace {
    std::optional<CtfLayout> layout;  // once the metadata declares the event
    std::map<std::filesystem::path, std::unique_ptr<CtfStream>> streams;
  };

  void scan();
  std::size_t read_known(CtfVisitor& visitor);

  std::filesystem::path folder_;
  std::map<std::filesystem::path, Trace> traces_;
  std::chrono::steady_clock::time_point scanned_{};
};

}  // namespace tailgate
