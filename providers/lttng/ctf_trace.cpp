#include "providers/lttng/ctf_trace.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/error.h"
#include "harness/base/file_text.h"

namespace tailgate {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kWindowBytes = 1 << 20;
constexpr std::size_t kPollBytes = 2 << 20;  // of one stream in one poll
constexpr std::chrono::milliseconds kScanEvery{5};

std::vector<std::byte> whole_file(const fs::path& path) {
  const std::string text = file_text(path);
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::optional<CtfLayout> layout_of(const fs::path& metadata) {
  try {
    return read_ctf_layout(ctf_metadata_text(whole_file(metadata)));
  } catch (const Error& error) {
    throw Error(fmt::format("'{}': {}", metadata.string(), error.what_failed()), error.remedy());
  }
}

// Returns the offset of the next packet of the trace, or bytes.size() when there is none.
std::size_t find_packet(const CtfLayout& layout, std::span<const std::byte> bytes) {
  for (std::size_t at = 0; at + layout.events_at <= bytes.size(); ++at) {
    if (bytes[at] != std::byte{kCtfPacketMagic & 0xFF}) continue;
    if (read_ctf_packet(layout, bytes.subspan(at))) return at;
  }
  return bytes.size();
}

}  // namespace

std::span<const std::byte> CtfStream::ahead() const {
  return std::span(window_).subspan(begin_, end_ - begin_);
}

void CtfStream::open() {
  if (file_.is_open()) return;
  file_.pubsetbuf(nullptr, 0);
  if (!file_.open(path_, std::ios::in | std::ios::binary)) {
    throw system_error("open", path_.string(), errno, "see whether the trace was moved or removed");
  }
}

// Makes the window hold wanted_bytes ahead of begin_. Returns false when the file is shorter.
bool CtfStream::fill_window(std::size_t wanted_bytes) {
  if (end_ - begin_ >= wanted_bytes) return true;
  open();
  std::copy(window_.begin() + static_cast<std::ptrdiff_t>(begin_),
            window_.begin() + static_cast<std::ptrdiff_t>(end_), window_.begin());
  window_at_bytes_ += begin_;
  end_ -= begin_;
  begin_ = 0;
  const std::uint64_t file_bytes = static_cast<std::uint64_t>(
      std::max<std::streamoff>(0, file_.pubseekoff(0, std::ios::end, std::ios::in)));
  if (file_bytes < window_at_bytes_ + wanted_bytes)
    return false;  // do not allocate for a damaged
                   // size
  window_.resize(std::max({window_.size(), wanted_bytes, kWindowBytes}));
  file_.pubseekpos(static_cast<std::streamoff>(window_at_bytes_ + end_), std::ios::in);
  const std::streamsize got = file_.sgetn(reinterpret_cast<char*>(window_.data() + end_),
                                          static_cast<std::streamsize>(window_.size() - end_));
  if (got > 0) end_ += static_cast<std::size_t>(got);
  return end_ - begin_ >= wanted_bytes;
}

// The tracer's count of discarded events never decreases, yet some packets contain 0 instead of it.
void CtfStream::count(const CtfPacket& packet) {
  ++packets_;
  next_packet_ = std::max({next_packet_, packet.sequence + 1, packets_});
  discarded_events_ = std::max(discarded_events_, packet.discarded);
}

// If the events do not fill the packet, its rest is torn: another packet may begin in there.
std::size_t CtfStream::take_packet(const CtfLayout& layout, const CtfPacket& packet,
                                   CtfVisitor& visitor) {
  CtfEvents events(layout, packet, ahead());
  CtfEvent event;
  std::size_t number = 0;
  count(packet);
  for (std::size_t left = events.left_bytes(); events.next(event); left = events.left_bytes()) {
    visitor.event(event);
    smallest_event_bytes_ = std::min(smallest_event_bytes_, left - events.left_bytes());
    ++number;
  }
  if (events.left_bytes() == 0) {
    consume(std::min(packet.packet_bytes, end_ - begin_));
    return number;
  }
  consume(packet.content_bytes - events.left_bytes());
  skip_damage(layout, visitor);
  return number;
}

// Skips to the next possible packet. Keeps the last bytes of the window, which may be the first
// part of a header.
void CtfStream::skip_damage(const CtfLayout& layout, CtfVisitor& visitor) {
  const std::span<const std::byte> bytes = ahead();
  std::size_t skipped = find_packet(layout, bytes);
  if (skipped == bytes.size()) skipped -= std::min(skipped, layout.events_at - 1);
  if (skipped == 0) return;
  visitor.damage(skipped);
  consume(skipped);
}

std::size_t CtfStream::read(const CtfLayout& layout, std::size_t budget_bytes,
                            CtfVisitor& visitor) {
  std::size_t count = 0;
  std::size_t used_bytes = 0;
  while (used_bytes < budget_bytes && fill_window(layout.events_at)) {
    const std::size_t before = begin_;
    const std::optional<CtfPacket> packet = read_ctf_packet(layout, ahead());
    if (!packet) {
      skip_damage(layout, visitor);
      used_bytes += begin_ - before;
      continue;
    }
    if (!fill_window(packet->packet_bytes)) break;
    count += take_packet(layout, *packet, visitor);
    used_bytes += packet->packet_bytes;
  }
  return count;
}

void CtfStream::finish(const CtfLayout& layout, CtfVisitor& visitor) {
  while (true) {
    read(layout, static_cast<std::size_t>(-1), visitor);
    if (!fill_window(layout.events_at)) break;
    // The file contains only a part of this packet.
    CtfPacket packet = *read_ctf_packet(layout, ahead());
    std::size_t rest = ahead().size();
    while (fill_window(rest + 1)) rest = ahead().size();
    packet.content_bytes = std::min(packet.content_bytes, rest);
    take_packet(layout, packet, visitor);
  }
  fill_window(layout.events_at - 1);
  const std::size_t rest = ahead().size();
  if (rest > 0) visitor.damage(rest);
  consume(rest);
}

void CtfTraceReader::scan() {
  scanned_ = std::chrono::steady_clock::now();
  std::error_code failed;
  fs::recursive_directory_iterator entry(folder_, failed);
  if (failed) {
    throw system_error("opendir", folder_.string(), failed.value(),
                       "start the session before its consumer");
  }
  for (; entry != fs::recursive_directory_iterator(); entry.increment(failed)) {
    if (failed) break;  // a folder vanished during the scan; the next scan finds the others
    const fs::path& path = entry->path();
    if (entry->is_directory(failed)) {
      if (path.filename() == "index") entry.disable_recursion_pending();
      continue;
    }
    if (path.filename() == "metadata") {
      Trace& trace = traces_[path.parent_path()];
      if (!trace.layout) trace.layout = layout_of(path);
    } else {
      auto& stream = traces_[path.parent_path()].streams[path];
      if (stream == nullptr) stream = std::make_unique<CtfStream>(path);
    }
  }
}

std::size_t CtfTraceReader::read_known(CtfVisitor& visitor) {
  std::size_t count = 0;
  for (auto& [path, trace] : traces_) {
    if (!trace.layout) continue;
    for (auto& [file, stream] : trace.streams) {
      count += stream->read(*trace.layout, kPollBytes, visitor);
    }
  }
  return count;
}

std::size_t CtfTraceReader::poll(CtfVisitor& visitor) {
  const std::size_t count = read_known(visitor);
  if (count > 0 || std::chrono::steady_clock::now() - scanned_ < kScanEvery) return count;
  scan();
  return read_known(visitor);
}

void CtfTraceReader::finish(CtfVisitor& visitor) {
  scan();
  for (auto& [path, trace] : traces_) {
    for (auto& [file, stream] : trace.streams) {
      if (trace.layout) {
        stream->finish(*trace.layout, visitor);
      } else if (fs::file_size(file) > 0) {
        throw Error(fmt::format("'{}' has no complete metadata", path.string()),
                    "see in the session's log why the consumer daemon did not write it");
      }
    }
  }
}

CtfLosses CtfTraceReader::losses(std::size_t packet_bytes) const {
  CtfLosses all;
  for (const auto& [path, trace] : traces_) {
    std::uint64_t missing_packets = 0;
    std::size_t smallest_bytes = CtfStream::kNoEvent;
    for (const auto& [file, stream] : trace.streams) {
      all.discarded_events += stream->discarded_events();
      missing_packets += stream->missing_packets();
      smallest_bytes = std::min(smallest_bytes, stream->smallest_event_bytes());
    }
    all.missing_packets += missing_packets;
    if (!trace.layout || packet_bytes < trace.layout->events_at) continue;
    all.missing_events_limit +=
        missing_packets * ((packet_bytes - trace.layout->events_at) / smallest_bytes);
  }
  return all;
}

}  // namespace tailgate
