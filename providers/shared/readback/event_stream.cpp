#include "providers/shared/readback/event_stream.h"

#include <algorithm>
#include <chrono>

#include "providers/shared/readback/event_scan.h"

namespace tailgate {

EventStreamConsumer::EventStreamConsumer(const std::filesystem::path& path, EventEncoding encoding,
                                         FileGrowth growth)
    : tail_(path), encoding_(encoding), growth_(growth) {}

std::size_t EventStreamConsumer::poll(EventVisitor& visitor) {
  const auto deadline = std::chrono::steady_clock::now() + kPollBudget;
  std::size_t events = 0;
  do {
    const std::span<const std::byte> bytes = tail_.fill();
    const Taken taken = take(bytes, growth_ == FileGrowth::append, false, visitor);
    if (taken.bytes == 0) break;
    tail_.consume(taken.bytes);
    events += taken.events;
  } while (events == 0 || std::chrono::steady_clock::now() < deadline);
  return events;
}

void EventStreamConsumer::finish(EventVisitor& visitor) {
  while (true) {
    const std::span<const std::byte> bytes = tail_.fill();
    const bool at_end = tail_.at_end();
    tail_.consume(take(bytes, true, at_end, visitor).bytes);
    if (at_end) return;
  }
}

// Parses `bytes` as far as they can be decided. settled: bytes that are not an event now will not
// become one.
EventStreamConsumer::Taken EventStreamConsumer::take(std::span<const std::byte> bytes, bool settled,
                                                     bool at_end, EventVisitor& visitor) {
  Taken taken;
  const std::size_t events_before = events_;
  while (taken.bytes < bytes.size()) {
    const std::span<const std::byte> rest = bytes.subspan(taken.bytes);
    const std::size_t size = announced_size_bytes(rest, encoding_);
    EventStamp stamp;
    if (size != 0 && size <= rest.size() &&
        check_event(rest.first(size), encoding_, stamp) == EventCheck::intact) {
      hand_over(rest.first(size), visitor);
      taken.bytes += size;
      continue;
    }
    if (!settled) break;
    const std::size_t moved = take_one(rest, at_end, visitor);
    if (moved == 0) break;
    taken.bytes += moved;
  }
  taken.events = events_ - events_before;
  return taken;
}

// Handles the front of `rest`, which is not an intact event. Returns the number of bytes handled; 0
// when more bytes are needed to decide.
std::size_t EventStreamConsumer::take_one(std::span<const std::byte> rest, bool at_end,
                                          EventVisitor& visitor) {
  const std::size_t header_bytes = min_event_bytes(encoding_);
  const std::size_t size = announced_size_bytes(rest, encoding_);
  if (size == 0) return skip_to_header(rest, at_end, visitor);
  // A torn event: another header lies within the size that this header states.
  const std::size_t next = find_header(rest, 1, encoding_);
  if (next < size) {
    skip_damage(rest.first(next), visitor);
    return next;
  }
  if (!at_end && rest.size() < size + header_bytes) return 0;
  if (size > rest.size()) {
    skip_damage(rest, visitor);
    return rest.size();
  }
  // Every byte of a body is printable, so a zero at the end means that the end was never written.
  if (growth_ == FileGrowth::in_place && rest[size - 1] == std::byte{0}) {
    skip_damage(rest.first(size), visitor);
  } else {
    hand_over(rest.first(size), visitor);
  }
  return size;
}

std::size_t EventStreamConsumer::skip_to_header(std::span<const std::byte> rest, bool at_end,
                                                EventVisitor& visitor) {
  const std::size_t next = find_header(rest, 1, encoding_);
  std::size_t skipped = next;
  if (next == kNoHeader) {
    const std::size_t open_bytes = at_end ? 0 : min_event_bytes(encoding_) - 1;
    skipped = rest.size() - std::min(open_bytes, rest.size());
  }
  skip_damage(rest.first(skipped), visitor);
  return skipped;
}

void EventStreamConsumer::skip_damage(std::span<const std::byte> bytes, EventVisitor& visitor) {
  std::size_t damaged = bytes.size();
  if (growth_ == FileGrowth::in_place) {
    while (damaged > 0 && bytes[damaged - 1] == std::byte{0}) --damaged;
  }
  if (damaged > 0) {
    visitor.damage(pending_zero_bytes_ + damaged);
    pending_zero_bytes_ = 0;
  }
  pending_zero_bytes_ += bytes.size() - damaged;
}

void EventStreamConsumer::hand_over(std::span<const std::byte> event, EventVisitor& visitor) {
  if (pending_zero_bytes_ > 0) visitor.damage(pending_zero_bytes_);
  pending_zero_bytes_ = 0;
  visitor.event(event);
  ++events_;
}

}  // namespace tailgate
