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

std::optional<CtfLayout> read_layout(const fs::path& metadata) {
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

// The trace that a folder is a part of: the same in all of the folders that rotations made.
std::string trace_name(const fs::path& folder) {
  const std::string path = folder.generic_string();
  const std::size_t domain = path.rfind("/ust/");
  return domain == std::string::npos ? path : path.substr(domain);
}

// The buffer of a stream's file, "events_0" of "events_0" and, of files of limited size,
// "events_0_7".
std::string buffer_name(const fs::path& path) {
  const std::string name = path.filename().string();
  const std::size_t cpu = name.find('_');
  return trace_name(path.parent_path()) + "/" +
         (cpu == std::string::npos ? name : name.substr(0, name.find('_', cpu + 1)));
}

}  // namespace

std::span<const std::byte> CtfStream::ahead() const {
  return std::span(window_).subspan(begin_, end_ - begin_);
}

// Returns false if a rotation has moved the file since it was found: the next scan finds it again.
bool CtfStream::open() {
  if (file_.is_open()) return true;
  file_.pubsetbuf(nullptr, 0);
  if (file_.open(path_, std::ios::in | std::ios::binary)) return true;
  if (errno == ENOENT) return false;
  throw system_error("open", path_.string(), errno, "see whether the trace may be read");
}

std::uint64_t CtfStream::first_sequence(const CtfLayout& layout) {
  if (!fill_window(layout.events_at)) return 0;
  const std::optional<CtfPacket> packet = read_ctf_packet(layout, ahead());
  return packet ? packet->sequence : 0;
}

// Makes the window hold wanted_bytes ahead of begin_. Returns false when the file is shorter.
bool CtfStream::fill_window(std::size_t wanted_bytes) {
  if (end_ - begin_ >= wanted_bytes) return true;
  if (!open()) return false;
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
      std::optional<CtfLayout>& layout = traces_[path.parent_path()];
      if (!layout) layout = read_layout(path);
    } else {
      add_stream(path);
    }
  }
  sort_streams();
}

void CtfTraceReader::add_stream(const fs::path& path) {
  const std::optional<FileId> file = file_id(path);
  if (!file) return;
  const auto known = std::find_if(streams_.begin(), streams_.end(),
                                  [&](const Stream& stream) { return stream.file == *file; });
  if (known == streams_.end()) {
    streams_.push_back({*file, std::make_unique<CtfStream>(path)});
  } else if (known->data->path() != path) {
    known->data->moved_to(path);
  }
}

void CtfTraceReader::sort_streams() {
  if (!in_order_) {
    std::sort(streams_.begin(), streams_.end(),
              [](const Stream& a, const Stream& b) { return a.data->path() < b.data->path(); });
    return;
  }
  using Key = std::pair<std::string, std::uint64_t>;
  std::vector<std::pair<Key, Stream>> keyed;
  for (Stream& stream : streams_) {
    const CtfLayout* const layout = layout_of(*stream.data);
    keyed.emplace_back(Key{buffer_name(stream.data->path()),
                           layout == nullptr ? 0 : stream.data->first_sequence(*layout)},
                       std::move(stream));
  }
  std::sort(keyed.begin(), keyed.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  streams_.clear();
  for (auto& [key, stream] : keyed) streams_.push_back(std::move(stream));
}

const CtfLayout* CtfTraceReader::layout_of(const CtfStream& stream) const {
  const auto trace = traces_.find(stream.path().parent_path());
  return trace == traces_.end() || !trace->second ? nullptr : &*trace->second;
}

std::size_t CtfTraceReader::read_known(CtfVisitor& visitor) {
  std::size_t count = 0;
  for (const Stream& stream : streams_) {
    const CtfLayout* const layout = layout_of(*stream.data);
    if (layout == nullptr) continue;
    count += stream.data->read(*layout, kPollBytes, visitor);
    if (in_order_ && count > 0) break;
  }
  return count;
}

std::size_t CtfTraceReader::poll(CtfVisitor& visitor) {
  const std::size_t count = read_known(visitor);
  const bool has_all = in_order_ && !streams_.empty();
  if (count > 0 || has_all || std::chrono::steady_clock::now() - scanned_ < kScanEvery) {
    return count;
  }
  scan();
  return read_known(visitor);
}

void CtfTraceReader::finish(CtfVisitor& visitor) {
  if (!in_order_ || streams_.empty()) scan();
  for (const Stream& stream : streams_) {
    const fs::path& path = stream.data->path();
    if (const CtfLayout* const layout = layout_of(*stream.data)) {
      stream.data->finish(*layout, visitor);
    } else if (fs::file_size(path) > 0) {
      throw Error(fmt::format("'{}' has no complete metadata", path.parent_path().string()),
                  "see in the session's log why the consumer daemon did not write it");
    }
  }
}

CtfLosses CtfTraceReader::losses(std::size_t packet_bytes) const {
  struct Buffer {
    std::uint64_t packets = 0;
    std::uint64_t next_packet = 0;
    std::uint64_t discarded_events = 0;
    const CtfLayout* layout = nullptr;
  };
  struct Trace {
    std::map<std::string, Buffer> buffers;
    std::size_t smallest_bytes = CtfStream::kNoEvent;
  };
  std::map<std::string, Trace> traces;
  for (const auto& [file, data] : streams_) {
    Trace& trace = traces[trace_name(data->path().parent_path())];
    trace.smallest_bytes = std::min(trace.smallest_bytes, data->smallest_event_bytes());
    Buffer& buffer = trace.buffers[buffer_name(data->path())];
    buffer.packets += data->packets();
    buffer.next_packet = std::max(buffer.next_packet, data->next_packet());
    buffer.discarded_events = std::max(buffer.discarded_events, data->discarded_events());
    if (const CtfLayout* const layout = layout_of(*data)) buffer.layout = layout;
  }
  CtfLosses all;
  for (const auto& [name, trace] : traces) {
    for (const auto& [buffer_name, buffer] : trace.buffers) {
      const std::uint64_t missing =
          buffer.next_packet - std::min(buffer.next_packet, buffer.packets);
      all.discarded_events += buffer.discarded_events;
      all.missing_packets += missing;
      if (buffer.layout == nullptr || packet_bytes < buffer.layout->events_at) continue;
      all.missing_events_limit +=
          missing * ((packet_bytes - buffer.layout->events_at) / trace.smallest_bytes);
    }
  }
  return all;
}

}  // namespace tailgate
