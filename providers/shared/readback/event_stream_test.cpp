#include "providers/shared/readback/event_stream.h"

#include <catch2/catch.hpp>

#include "harness/sink/testing/test_events.h"
#include "providers/shared/readback/event_scan.h"

namespace tailgate {
namespace {

using Sequences = std::vector<std::uint64_t>;

constexpr EventEncoding kBinary = EventEncoding::binary;

Record read_whole(const std::string& bytes, FileGrowth growth,
                  EventEncoding encoding = EventEncoding::binary) {
  GrowingFile file;
  file.append(bytes);
  EventStreamConsumer consumer(file.path(), encoding, growth);
  Record record(encoding);
  while (consumer.poll(record) > 0) {
  }
  consumer.finish(record);
  return record;
}

TEST_CASE("events of all sizes are read back in order, in both encodings") {
  for (const EventEncoding encoding : {EventEncoding::binary, EventEncoding::text}) {
    std::string bytes;
    Sequences expected;
    for (std::uint64_t i = 0; i < 200; ++i) {
      const std::size_t size = i % 50 == 49 ? kMaxEventBytes : 64 + 7 * i;
      bytes += event_text(i, size, encoding);
      expected.push_back(i);
    }
    for (const FileGrowth growth : {FileGrowth::append, FileGrowth::in_place}) {
      const Record record = read_whole(bytes, growth, encoding);
      CHECK(record.sequences == expected);
      CHECK(record.damaged_bytes == 0);
    }
  }
}

TEST_CASE("an event in a growing file is read once it is whole") {
  GrowingFile file;
  EventStreamConsumer consumer(file.path(), kBinary, FileGrowth::append);
  Record record;
  CHECK(consumer.poll(record) == 0);
  file.append(event_text(0));
  CHECK(consumer.poll(record) == 1);
  const std::string next = event_text(1);
  for (const std::size_t cut : {std::size_t{5}, std::size_t{40}, next.size()}) {
    const std::size_t have = std::filesystem::file_size(file.path()) - 100;
    CHECK(consumer.poll(record) == 0);
    file.append(next.substr(have, cut - have));
  }
  CHECK(consumer.poll(record) == 1);
  consumer.finish(record);
  CHECK(record.sequences == Sequences{0, 1});
  CHECK(record.damaged_bytes == 0);
}

TEST_CASE("the event after a torn event is found, wherever the tear is") {
  for (std::size_t torn_bytes = 1; torn_bytes < 100; ++torn_bytes) {
    INFO(torn_bytes);
    const std::string bytes =
        event_text(0) + event_text(1).substr(0, torn_bytes) + event_text(2) + event_text(3);
    for (const FileGrowth growth : {FileGrowth::append, FileGrowth::in_place}) {
      const Record record = read_whole(bytes, growth);
      CHECK(record.sequences == Sequences{0, 2, 3});
      CHECK(record.damaged_bytes == torn_bytes);
      CHECK(record.bad_events == 0);
    }
  }
}

TEST_CASE("a cut-off last event counts as damage") {
  for (const std::size_t rest : {1, 31, 32, 99}) {
    const Record record =
        read_whole(event_text(0) + event_text(1).substr(0, rest), FileGrowth::append);
    CHECK(record.sequences == Sequences{0});
    CHECK(record.damaged_bytes == rest);
  }
}

TEST_CASE("an event with a changed body is handed over as it is") {
  std::string changed = event_text(1);
  changed[60] ^= 1;
  const Record record = read_whole(event_text(0) + changed + event_text(2), FileGrowth::append);
  CHECK(record.sequences == Sequences{0, 2});
  CHECK(record.bad_events == 1);
  CHECK(record.damaged_bytes == 0);
}

TEST_CASE("all bytes of an event with a changed header count as damage") {
  std::string changed = event_text(1);
  changed[9] ^= 1;
  const Record record = read_whole(event_text(0) + changed + event_text(2), FileGrowth::append);
  CHECK(record.sequences == Sequences{0, 2});
  CHECK(record.damaged_bytes == 100);
}

TEST_CASE("foreign bytes larger than the window do not stop the reader") {
  const std::string junk(3 * FileTail::kWindowBytes + 17, 'T');
  const Record record = read_whole(junk + event_text(5) + junk, FileGrowth::append);
  CHECK(record.sequences == Sequences{5});
  CHECK(record.damaged_bytes == 2 * junk.size());
}

TEST_CASE("in a preallocated file a hole is damage and the unused rest is not") {
  const std::string rest(2 * FileTail::kWindowBytes, '\0');
  const Record unused = read_whole(event_text(0) + rest, FileGrowth::in_place);
  CHECK(unused.sequences == Sequences{0});
  CHECK(unused.damaged_bytes == 0);

  const Record hole = read_whole(event_text(0) + std::string(300, '\0') + event_text(2) + rest,
                                 FileGrowth::in_place);
  CHECK(hole.sequences == Sequences{0, 2});
  CHECK(hole.damaged_bytes == 300);

  const Record appended = read_whole(event_text(0) + std::string(300, '\0'), FileGrowth::append);
  CHECK(appended.damaged_bytes == 300);
}

TEST_CASE("the reader waits for an event that is half written in place") {
  GrowingFile file;
  file.append(std::string(4096, '\0'));
  EventStreamConsumer consumer(file.path(), kBinary, FileGrowth::in_place);
  Record record;
  CHECK(consumer.poll(record) == 0);
  file.write(0, event_text(0).substr(0, 60));  // header written, body not yet
  CHECK(consumer.poll(record) == 0);
  file.write(100, event_text(1));  // another thread finished first
  CHECK(consumer.poll(record) == 0);
  file.write(0, event_text(0));
  CHECK(consumer.poll(record) == 2);
  consumer.finish(record);
  CHECK(record.sequences == Sequences{0, 1});
  CHECK(record.damaged_bytes == 0);
}

TEST_CASE("an event whose writer died half-way is damage in a preallocated file") {
  const std::string half = event_text(1).substr(0, 60) + std::string(40, '\0');
  const Record record = read_whole(event_text(0) + half + event_text(2) + std::string(500, '\0'),
                                   FileGrowth::in_place);
  CHECK(record.sequences == Sequences{0, 2});
  CHECK(record.bad_events == 0);
  CHECK(record.damaged_bytes == 100);
}

TEST_CASE("a missing file is an error with a remedy") {
  CHECK_THROWS_AS(EventStreamConsumer("/nonexistent/events", kBinary, FileGrowth::append), Error);
}

TEST_CASE("a header is found at its position only when it is whole") {
  const std::string text = "TTLG1" + event_text(0, 32);
  const auto bytes = std::as_bytes(std::span(text));
  CHECK(find_header(bytes, 0, kBinary) == 5);
  CHECK(find_header(bytes, 6, kBinary) == kNoHeader);
  CHECK(find_header(bytes.first(bytes.size() - 1), 0, kBinary) == kNoHeader);
  CHECK(find_header({}, 0, kBinary) == kNoHeader);
  CHECK(find_header(bytes, 100, kBinary) == kNoHeader);
}

}  // namespace
}  // namespace tailgate
