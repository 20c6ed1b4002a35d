#include "providers/shared/readback/line_events.h"

#include <algorithm>
#include <chrono>
#include <string_view>

#include "providers/shared/readback/event_scan.h"

namespace tailgate {
namespace {

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The event that is the value of a field, "msg":"EVENT" in JSON or msg=EVENT; empty if none is.
std::span<const std::byte> field_event(std::span<const std::byte> line) {
  const std::size_t begin = find_header(line, 1, EventEncoding::text);
  if (begin == kNoHeader) return {};
  const char before = as_text(line)[begin - 1];
  if (before != '"' && before != '=') return {};
  const std::size_t end = as_text(line).find(before == '"' ? '"' : ' ', begin);
  const std::span<const std::byte> event = line.subspan(begin, std::min(end, line.size()) - begin);
  EventStamp stamp;
  const bool intact = check_event(event, EventEncoding::text, stamp) == EventCheck::intact;
  return intact ? event : std::span<const std::byte>{};
}

// Where the event begins whose last word begins at `word`. The text of a log line has spaces.
std::size_t event_begin(std::span<const std::byte> line, std::size_t word) {
  const std::size_t first = find_header(line, 0, EventEncoding::text);
  return std::min(first, word);
}

// Handles one line, given without its line feed: hands over one event, unless the line is empty.
void visit_line(std::span<const std::byte> line, EventVisitor& visitor) {
  // Text streams end lines so on Windows.
  if (as_text(line).ends_with('\r')) line = line.first(line.size() - 1);
  if (line.empty()) return;
  EventStamp stamp;
  const std::size_t space = as_text(line).rfind(' ');
  const std::size_t word = space == std::string_view::npos ? 0 : space + 1;
  const std::span<const std::byte> event = line.subspan(word);
  if (check_event(event, EventEncoding::text, stamp) == EventCheck::intact) {
    return visitor.event(event);
  }
  if (const std::span<const std::byte> value = field_event(line); !value.empty()) {
    return visitor.event(value);
  }
  const std::size_t next = find_header(line, word + 1, EventEncoding::text);
  if (next == kNoHeader) return visitor.event(line.subspan(event_begin(line, word)));
  visitor.damage(next - word);
  visitor.event(line.subspan(next));
}

}  // namespace

LineEventsConsumer::LineEventsConsumer(const std::filesystem::path& path) : tail_(path) {}

std::size_t LineEventsConsumer::poll(EventVisitor& visitor) {
  const auto deadline = std::chrono::steady_clock::now() + kPollBudget;
  std::size_t events = 0;
  do {
    const std::span<const std::byte> bytes = tail_.fill();
    std::size_t used = 0;
    while (true) {
      const std::size_t end = as_text(bytes).find('\n', used);
      if (end == std::string_view::npos) break;
      visit_line(bytes.subspan(used, end - used), visitor);
      used = end + 1;
      ++events;
    }
    // A line that fills the whole window is not an event's line.
    if (used == 0 && bytes.size() == FileTail::kWindowBytes) {
      visitor.damage(bytes.size());
      used = bytes.size();
    }
    if (used == 0) break;
    tail_.consume(used);
  } while (events == 0 || std::chrono::steady_clock::now() < deadline);
  return events;
}

void LineEventsConsumer::finish(EventVisitor& visitor) {
  const std::span<const std::byte> rest = tail_.fill();
  if (!rest.empty()) visitor.damage(rest.size());
  tail_.consume(rest.size());
}

}  // namespace tailgate
