#include "providers/shared/readback/line_events.h"

#include <catch2/catch.hpp>

#include "harness/sink/testing/test_events.h"

namespace tailgate {
namespace {

using Sequences = std::vector<std::uint64_t>;

std::string line_event(std::uint64_t sequence) {
  return event_text(sequence, 100, EventEncoding::text);
}

Record read_whole(const std::string& bytes) {
  GrowingFile file;
  file.append(bytes);
  LineEventsConsumer consumer(file.path());
  Record record(EventEncoding::text);
  while (consumer.poll(record) > 0) {
  }
  consumer.finish(record);
  return record;
}

TEST_CASE("an event is read from a line of its own and after a logger's prefix") {
  const Record record = read_whole(line_event(0) + "\n[2026-01-01 12:00:00.123] [name] [info] " +
                                   line_event(1) + "\n\n" + line_event(2) + "\n");
  CHECK(record.sequences == Sequences{0, 1, 2});
  CHECK(record.bad_events == 0);
  CHECK(record.damaged_bytes == 0);
}

TEST_CASE("lines may end with a carriage return, as text streams of Windows end them") {
  const Record record = read_whole(line_event(0) + "\r\n\r\n[info] " + line_event(1) + "\r\n");
  CHECK(record.sequences == Sequences{0, 1});
  CHECK(record.bad_events == 0);
  CHECK(record.damaged_bytes == 0);
}

TEST_CASE("a line is handed over once its line feed is written") {
  GrowingFile file;
  LineEventsConsumer consumer(file.path());
  Record record(EventEncoding::text);
  CHECK(consumer.poll(record) == 0);
  file.append(line_event(0));
  CHECK(consumer.poll(record) == 0);
  file.append("\n");
  file.append(line_event(1).substr(0, 50));
  CHECK(consumer.poll(record) == 1);
  consumer.finish(record);
  CHECK(record.sequences == Sequences{0});
  CHECK(record.damaged_bytes == 50);
}

TEST_CASE("an event's text may have spaces, which only its header tells from a prefix") {
  const std::string line = line_event(1).substr(0, kTextHeaderBytes) + "INFO two words #012";
  const Record record =
      read_whole(line_event(0) + "\n[info] " + line + "\n" + line_event(2) + "\n");
  CHECK(record.sequences == Sequences{0, 2});
  CHECK(record.bad_events == 1);
  CHECK(record.event_bytes == 100 + line.size() + 100);
  CHECK(record.damaged_bytes == 0);
}

TEST_CASE("an event that follows a cut event on the same line is found") {
  const Record record = read_whole(line_event(0) + "\n[info] " + line_event(1).substr(0, 80) +
                                   line_event(2) + "\n" + line_event(3) + "\n");
  CHECK(record.sequences == Sequences{0, 2, 3});
  CHECK(record.damaged_bytes == 80);
}

TEST_CASE("an event is a field's value in a line of JSON or of key=value") {
  const Record record =
      read_whole(R"({"level":"info","msg":")" + line_event(0) +
                 R"(","time":"2026-01-01T12:00:00Z"})"
                 "\n" +
                 R"({"level":"info","message":")" + line_event(1) + "\"}\n" +
                 "level=info msg=" + line_event(2) + "\nlevel=info msg=" + line_event(3) +
                 " thread=1\nmsg=\"" + line_event(4) + "\" level=info\n");
  CHECK(record.sequences == Sequences{0, 1, 2, 3, 4});
  CHECK(record.bad_events == 0);
  CHECK(record.damaged_bytes == 0);
}

TEST_CASE("a field's event that was changed is not taken for one") {
  std::string changed = line_event(1);
  changed.back() = changed.back() == 'a' ? 'b' : 'a';
  const Record record = read_whole("{\"msg\":\"" + line_event(0) + "\"}\n{\"msg\":\"" + changed +
                                   "\"}\n{\"msg\":\"" + line_event(2).substr(0, 90) + "\n");
  CHECK(record.sequences == Sequences{0});
  CHECK(record.bad_events == 2);
}

TEST_CASE("foreign lines are handed over as bad events, endless lines are damage") {
  const Record record =
      read_whole("hello world\n" + line_event(0) + "\n" +
                 std::string(3 * FileTail::kWindowBytes, 'x') + "\n" + line_event(1) + "\n");
  CHECK(record.sequences == Sequences{0, 1});
  CHECK(record.bad_events >= 1);
  CHECK(record.damaged_bytes + record.event_bytes > 3 * FileTail::kWindowBytes);
}

}  // namespace
}  // namespace tailgate
