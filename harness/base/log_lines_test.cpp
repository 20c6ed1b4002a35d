#include "harness/base/log_lines.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "harness/base/log_fields.h"
#include "harness/base/quoting.h"

namespace tailgate {
namespace {

std::string_view text_of(const LogLines& lines, std::uint64_t sequence) {
  const std::span<const std::byte> body = lines.body(sequence);
  return {reinterpret_cast<const char*>(body.data()), body.size()};
}

TEST_CASE("a log line has five fields between tabs and a JSON object, whatever the message") {
  const LogLines lines(EventEncoding::binary, 2048);
  for (std::uint64_t sequence = 0; sequence < kLogLines; ++sequence) {
    const std::string_view line = text_of(lines, sequence);
    INFO(sequence << " " << line);
    if (line_kind(sequence) == LineKind::empty) {
      CHECK(line.empty());
      continue;
    }
    if (line_kind(sequence) != LineKind::control) CHECK(std::ranges::count(line, '\t') == 5);
    CHECK(line.substr(0, 17) == "2026-01-02T03:04:");
    const auto fields = nlohmann::json::parse(line.substr(line.rfind('\t') + 1));
    CHECK(fields.at("request") == sequence);
    CHECK(fields.at("note").get<std::string>().find('\0') != std::string::npos);
  }
}

TEST_CASE("each kind of line has what its name says, and is the only one that does") {
  const LogLines lines(EventEncoding::text, 4096);
  const auto kinds_with = [&](const auto& has) {
    std::set<LineKind> kinds;
    for (std::uint64_t i = 0; i < kLogLines; ++i) {
      if (has(text_of(lines, i))) kinds.insert(line_kind(i));
    }
    return kinds;
  };
  const auto contains = [&](std::string_view part) {
    return kinds_with([=](std::string_view line) { return line.find(part) != line.npos; });
  };
  using Kinds = std::set<LineKind>;
  CHECK(contains(std::string_view("\0", 1)) == Kinds{LineKind::nul});
  CHECK(contains("\n") == Kinds{LineKind::line_feed});
  CHECK(contains("\xED\xA0\xBD") == Kinds{LineKind::surrogate});
  CHECK(contains("\x1b") == Kinds{LineKind::control});
  CHECK(contains("\"quoted\" \\") == Kinds{LineKind::quotes});
  CHECK(contains("\xF0\x9F\x91\xA9") == Kinds{LineKind::utf8});
  CHECK(kinds_with([](std::string_view line) { return !is_utf8(line); }) ==
        Kinds{LineKind::surrogate, LineKind::invalid_utf8});
  CHECK(kinds_with([](std::string_view line) { return line.empty(); }) == Kinds{LineKind::empty});
  CHECK(kinds_with([](std::string_view line) { return line.size() > 500; }) ==
        Kinds{LineKind::longest});
}

EventBytes bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

TEST_CASE("a message keeps its tabs, and text without five of them is no log line") {
  const auto fields = split_line(bytes_of("t\tl\tlogger\tc\tone\ttwo\t{}"));
  REQUIRE(fields);
  CHECK(std::ranges::equal((*fields)[4], bytes_of("one\ttwo")));
  CHECK(std::ranges::equal((*fields)[5], bytes_of("{}")));
  CHECK_FALSE(split_line(bytes_of("t\tl\tlogger\tc\tmessage")));
  CHECK_FALSE(split_line({}));
}

TEST_CASE("a byte of a log line is in one of its fields, a tab in the one behind it") {
  const EventBytes line = bytes_of("t\tl\tlogger\t\tone\ttwo\t{}");
  std::size_t at = 0;
  for (const auto& [name, bytes] :
       {std::pair{"time", 1}, std::pair{"level", 2}, std::pair{"logger", 7}, std::pair{"caller", 1},
        std::pair{"message", 8}, std::pair{"fields", 3}}) {
    for (int i = 0; i < bytes; ++i, ++at) {
      const auto field = log_field_at(line, at);
      REQUIRE(field);
      CHECK(kLogFieldNames.at(*field) == name);
    }
  }
  CHECK(at == line.size());
  CHECK_FALSE(log_field_at(line, line.size()));
  CHECK_FALSE(log_field_at(bytes_of("no fields"), 3));
}

TEST_CASE("the longest lines fill their event exactly, up to the largest event") {
  constexpr auto kLongest = static_cast<std::uint64_t>(LineKind::longest);
  for (const EventEncoding encoding : {EventEncoding::binary, EventEncoding::text}) {
    for (const std::size_t bytes : {kLeastLongestBytes, std::size_t{8192}, kMaxEventBytes}) {
      CHECK(LogLines(encoding, bytes).event_bytes(kLongest) == bytes);
    }
    CHECK(LogLines(encoding, 1 << 20).event_bytes(kLongest) == kMaxEventBytes);
  }
}

TEST_CASE("an event is intact if its body is the line with its number") {
  const LogLines lines(EventEncoding::text, 1024);
  for (std::uint64_t sequence = 0; sequence < 2 * kLogLines; ++sequence) {
    const std::span<const std::byte> body = lines.body(sequence);
    std::vector<std::byte> event(kTextHeaderBytes);
    event.insert(event.end(), body.begin(), body.end());
    const EventStamp sent{.run = 7,
                          .thread = 1,
                          .size_bytes = static_cast<std::uint16_t>(event.size()),
                          .sequence = sequence,
                          .emit_ns = 9};
    stamp_event(event.data(), EventEncoding::text, sent);
    EventStamp stamp;
    CHECK(check_event(event, EventEncoding::text, lines, stamp) == EventCheck::intact);
    CHECK(stamp == sent);
    if (body.empty()) continue;
    CHECK(check_event(std::span(event).first(event.size() - 1), EventEncoding::text, lines,
                      stamp) == EventCheck::wrong_size);
    event.back() ^= std::byte{1};
    CHECK(check_event(event, EventEncoding::text, lines, stamp) == EventCheck::bad_body);
    event.back() ^= std::byte{1};
    EventStamp next = sent;
    ++next.sequence;
    stamp_event(event.data(), EventEncoding::text, next);
    CHECK(check_event(event, EventEncoding::text, lines, stamp) == EventCheck::bad_body);
  }
}

}  // namespace
}  // namespace tailgate
