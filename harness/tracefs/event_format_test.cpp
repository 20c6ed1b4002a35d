#include "harness/tracefs/event_format.h"

#include <catch2/catch.hpp>

#include "harness/base/error.h"
#include "harness/sink/testing/test_events.h"
#include "harness/tracefs/test_pages.h"

namespace tailgate::tracefs {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

// The fields at the start of every record: type, flags, preempt count, pid.
std::string common(char id) {
  return std::string{id, '\0', '\0', '\1', 'p', 'i', 'd', '\0'};
}

std::string found_in(const RecordFormat& format, const std::string& data) {
  std::span<const std::byte> event;
  REQUIRE(find_event(format, bytes_of(data), event) == Found::event);
  return text_of(event);
}

TEST_CASE("a format file is parsed into name, ID and fields") {
  const EventFormat format = parse_event_format(print_format());
  CHECK(format.name == "print");
  CHECK(format.id == 5);
  REQUIRE(format.fields.size() == 6);
  CHECK(format.field("common_pid").offset_bytes == 4);
  CHECK(format.field("ip").size_bytes == 8);
  CHECK(format.field("buf").offset_bytes == 16);
  CHECK_THROWS_WITH(format.field("missing"), Catch::Contains("'print' has no field 'missing'"));
}

TEST_CASE("a malformed format file is an error") {
  CHECK_THROWS_AS(record_format("", "buf", Carriage::text), Error);
  CHECK_THROWS_AS(parse_event_format("ID: many\n"), Error);
  CHECK_THROWS_AS(parse_event_format("ID: 70000\n"), Error);
  CHECK_THROWS_AS(parse_event_format("\tfield:int x;\toffset:;\tsize:4;\n"), Error);
  CHECK_THROWS_AS(parse_event_format("\tfield:int x;\toffset:99999999999999999999;\tsize:4;\n"),
                  Error);
}

TEST_CASE("a raw marker's event is cut to its announced size if the rest can be padding") {
  const RecordFormat format = record_format(raw_data_format(), "id", Carriage::raw);
  const std::string event = event_text(7, 101);
  CHECK(found_in(format, common(19) + event) == event);
  CHECK(found_in(format, common(19) + event + std::string(7, '\0')) == event);
  const std::string text = event_text(7, 101, EventEncoding::text);
  CHECK(found_in(format, common(19) + text + std::string(3, '\0')) == text);
  // If there is more than padding, or less than announced, the event is left as it is; the consumer
  // then counts it as bad.
  CHECK(found_in(format, common(19) + event + std::string(8, '\0')).size() == 109);
  CHECK(found_in(format, common(19) + event.substr(0, 90)).size() == 90);
}

TEST_CASE("a text marker ends at its line feed, or at a zero byte") {
  const RecordFormat format = record_format(print_format(), "buf", Carriage::text);
  const std::string before = common(5) + std::string(8, 'a');
  CHECK(found_in(format, before + "hello\n" + std::string(2, '\0')) == "hello");
  CHECK(found_in(format, before + "hello" + std::string(3, '\0')) == "hello");
  CHECK(found_in(format, before + "hello") == "hello");
  CHECK(found_in(format, before).empty());
}

TEST_CASE("a user event is found at its location") {
  const RecordFormat format = record_format(user_event_format(), "event", Carriage::located);
  const std::string id = {'\x45', '\x06'};  // 1605
  const std::string front = id + std::string(6, '\0');
  const std::string event = event_text(3, 50);
  const auto location = [](std::uint32_t size, std::uint32_t distance) {
    const std::uint32_t value = size << 16 | distance;
    return std::string(reinterpret_cast<const char*>(&value), sizeof value);
  };
  CHECK(found_in(format, front + location(50, 0) + event + std::string(2, '\0')) == event);
  CHECK(found_in(format, front + location(50, 4) + "...." + event) == event);
  std::span<const std::byte> found;
  CHECK(find_event(format, bytes_of(front + location(51, 0) + event), found) == Found::damaged);
  CHECK(find_event(format, bytes_of(front + "ab"), found) == Found::damaged);
}

TEST_CASE(
    "records of other events are foreign, and records too short for their fields are damaged") {
  const RecordFormat format = record_format(print_format(), "buf", Carriage::text);
  std::span<const std::byte> event;
  CHECK(find_event(format, bytes_of(common(6) + "xxxxxxxx"), event) == Found::foreign);
  CHECK(find_event(format, bytes_of(common(5) + "xxxx"), event) == Found::damaged);
  CHECK(find_event(format, bytes_of("x"), event) == Found::damaged);
}

}  // namespace
}  // namespace tailgate::tracefs
