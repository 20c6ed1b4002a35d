#include "harness/tracefs/ring_page.h"

#include <catch2/catch.hpp>

#include "harness/base/error.h"
#include "harness/sink/testing/test_events.h"
#include "harness/tracefs/event_format.h"
#include "harness/tracefs/test_pages.h"

namespace tailgate::tracefs {
namespace {

struct Read {
  std::vector<std::uint64_t> ticks;
  std::vector<std::string> data;
  std::size_t damaged_bytes = 0;
};

Read read_page(const std::vector<std::byte>& bytes, const PageLayout& layout = {}) {
  RingPage page(layout, bytes);
  Read read;
  for (RingRecord record; page.next(record);) {
    read.ticks.push_back(record.ticks);
    read.data.push_back(text_of(record.data));
  }
  read.damaged_bytes = page.damaged_bytes();
  return read;
}

// The events in a captured page, cut to the sizes that they announce.
Record events_in(const std::string& page_name, const RecordFormat& format, EventEncoding encoding) {
  const std::vector<std::byte> bytes = captured_page(page_name);
  REQUIRE(bytes.size() == 4096);
  RingPage page({}, bytes);
  Record events(encoding);
  for (RingRecord record; page.next(record);) {
    std::span<const std::byte> event;
    REQUIRE(find_event(format, record.data, event) == Found::event);
    events.event(event);
  }
  events.damage(page.damaged_bytes());
  return events;
}

std::vector<std::uint64_t> numbers(std::uint64_t first, std::size_t count) {
  std::vector<std::uint64_t> result;
  for (std::size_t i = 0; i < count; ++i) result.push_back(first + i);
  return result;
}

TEST_CASE("records of every type are parsed as the kernel's header defines") {
  PageWriter page(1000);
  page.header(2, 5);  // two words of data, 5 ticks later
  page.data("abcdefgh");
  page.header(30, 7);  // the delta's upper bits: 3 * 2^27
  page.word(3);
  page.header(1, 1);
  page.data("ijkl");
  page.header(29, 2);  // a discarded record: its bytes are skipped, its time counts
  page.word(12);
  page.data("--------");
  page.header(0, 4);  // the length is in the next word
  page.word(124);
  page.data(std::string(120, 'x'));
  page.header(31, 9);  // an absolute time
  page.word(1);
  page.header(1, 0);
  page.data("mnop");
  page.header(29, 0);  // padding to the end of the page
  page.data("garbage here");
  const Read read = read_page(page.page());
  constexpr std::uint64_t kUnit = 1u << 27;
  CHECK(read.data == std::vector<std::string>{"abcdefgh", "ijkl", std::string(120, 'x'), "mnop"});
  CHECK(read.ticks ==
        std::vector<std::uint64_t>{1005, 1013 + 3 * kUnit, 1019 + 3 * kUnit, kUnit + 9});
  CHECK(read.damaged_bytes == 0);
}

TEST_CASE("an absolute time takes its upper bits from the previous time") {
  constexpr std::uint64_t kUpper = std::uint64_t{5} << 59;
  PageWriter page(kUpper + 100);
  page.header(31, 17);
  page.word(2);
  page.header(1, 3);
  page.data("abcd");
  CHECK(read_page(page.page()).ticks == std::vector<std::uint64_t>{kUpper + (2u << 27) + 20});
}

TEST_CASE("the header tells that events were overwritten, with their number if it fits") {
  PageWriter writer(1);
  writer.header(1, 0);
  writer.data("abcd");
  writer.missed_events(4711);
  const std::vector<std::byte> none = writer.page();
  const std::vector<std::byte> flagged = writer.page(kMissed);
  const std::vector<std::byte> counted = writer.page(kMissed | kMissedStored);
  CHECK_FALSE(RingPage({}, none).missed());
  CHECK(RingPage({}, flagged).missed());
  CHECK_FALSE(RingPage({}, flagged).missed_events().has_value());
  CHECK(RingPage({}, counted).missed_events() == 4711u);
  CHECK(read_page(counted).data == std::vector<std::string>{"abcd"});
}

TEST_CASE("pages of a 32-bit kernel and of another size are read according to their layout") {
  const PageLayout layout = {.commit_at = 8, .commit_bytes = 4, .data_at = 12, .page_bytes = 16384};
  PageWriter writer(50, layout);
  for (int i = 0; i < 1000; ++i) {
    writer.header(2, 1);
    writer.data("abcdefgh");
  }
  const Read read = read_page(writer.page(), layout);
  CHECK(read.data.size() == 1000);
  CHECK(read.ticks.back() == 1050);
}

TEST_CASE("the layout comes from the kernel's own description") {
  const PageLayout layout = parse_page_layout(kHeaderPage, kHeaderEvent);
  CHECK(layout.commit_at == 8);
  CHECK(layout.commit_bytes == 8);
  CHECK(layout.data_at == 16);
  CHECK(layout.page_bytes == 4096);

  const std::string page = kHeaderPage;
  std::string moved = page;
  moved.replace(moved.find("offset:8"), 8, "offset:9");
  CHECK_THROWS_AS(parse_page_layout(moved, kHeaderEvent), Error);
  std::string event = kHeaderEvent;
  event.replace(event.find("27 bits"), 7, "28 bits");
  CHECK_THROWS_AS(parse_page_layout(page, event), Error);
  CHECK_THROWS_AS(parse_page_layout("", kHeaderEvent), Error);
  CHECK_THROWS_AS(parse_page_layout(page, ""), Error);
}

TEST_CASE("a record that extends beyond the used bytes is damaged, and earlier records are read") {
  PageWriter writer(1);
  writer.header(1, 0);
  writer.data("abcd");
  SECTION("its length") {
    writer.header(28, 0);
  }
  SECTION("its long length") {
    writer.header(0, 0);
    writer.word(4000);
  }
  SECTION("a long length below its own size") {
    writer.header(0, 0);
    writer.word(3);
  }
  SECTION("a missing second word") {
    writer.header(30, 0);
  }
  const Read read = read_page(writer.page());
  CHECK(read.data == std::vector<std::string>{"abcd"});
  CHECK(read.damaged_bytes >= 4);
}

TEST_CASE("a page that is too short for its header or for the announced size is damaged") {
  const std::vector<std::byte> page = PageWriter(1).page(4096);
  CHECK(read_page(page).damaged_bytes == 4096);
  CHECK(read_page(std::vector<std::byte>(15)).damaged_bytes == 15);
  CHECK(read_page({}).damaged_bytes == 0);
}

TEST_CASE("captured pages contain the written events byte for byte") {
  const RecordFormat raw = record_format(raw_data_format(), "id", Carriage::raw);
  const RecordFormat text = record_format(print_format(), "buf", Carriage::text);
  const Record markers = events_in("raw-0", raw, EventEncoding::binary);
  CHECK(markers.sequences == numbers(0, 16));
  CHECK(markers.event_bytes ==
        32 + 33 + 34 + 35 + 36 + 64 + 108 + 109 + 110 + 112 + 113 + 128 + 200 + 256 + 40 + 512);
  CHECK(markers.damaged_bytes + markers.bad_events == 0);

  const Record texts = events_in("text-0", text, EventEncoding::text);
  CHECK(texts.sequences == numbers(0, 9));
  CHECK(texts.event_bytes == 64 + 65 + 66 + 67 + 68 + 99 + 100 + 101 + 200);
  CHECK(texts.damaged_bytes + texts.bad_events == 0);
}

// 500 events were written into a buffer of two pages; the kernel reported that 396 were
// overwritten.
TEST_CASE("in captured pages of an overrun buffer, read and missed events add up") {
  const RecordFormat raw = record_format(raw_data_format(), "id", Carriage::raw);
  std::vector<std::uint64_t> sequences;
  for (const char* name : {"overrun-0", "overrun-1", "overrun-2"}) {
    const Record events = events_in(name, raw, EventEncoding::binary);
    CHECK(events.damaged_bytes + events.bad_events == 0);
    sequences.insert(sequences.end(), events.sequences.begin(), events.sequences.end());
  }
  CHECK(sequences == numbers(396, 104));
  const std::vector<std::byte> first = captured_page("overrun-0");
  CHECK(RingPage({}, first).missed_events() == 396u);
  const std::vector<std::byte> second = captured_page("overrun-1");
  CHECK_FALSE(RingPage({}, second).missed());
}

}  // namespace
}  // namespace tailgate::tracefs
