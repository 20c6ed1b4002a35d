// Tests the trace reader with bytes laid out by hand from the format's specification.
#include <catch2/catch.hpp>

#include "harness/base/error.h"
#include "harness/base/testing/test_directory.h"
#include "providers/lttng/ctf_samples.h"
#include "providers/lttng/ctf_trace.h"

namespace tailgate {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

struct Keep : CtfVisitor {
  void event(const CtfEvent& event) override {
    timestamps.push_back(event.timestamp);
    payloads.emplace_back(reinterpret_cast<const char*>(event.payload.data()),
                          event.payload.size());
  }
  void damage(std::size_t bytes) override { damaged_bytes += bytes; }

  std::vector<std::uint64_t> timestamps;
  std::vector<std::string> payloads;
  std::size_t damaged_bytes = 0;
};

struct SampleTrace {
  explicit SampleTrace(const std::string& metadata = metadata_packet(sample_metadata())) {
    std::filesystem::create_directories(folder());
    write_sample(folder() / "metadata", metadata);
  }
  std::filesystem::path folder() const { return directory / "ust"; }
  void stream(const std::string& bytes) const { write_sample(folder() / "events_0", bytes); }

  Keep read() const {
    Keep keep;
    CtfTraceReader reader(directory.path());
    while (reader.poll(keep) > 0) {
    }
    reader.finish(keep);
    return keep;
  }

  TestDirectory directory;
};

SamplePacket packet_of(std::uint64_t begin, std::vector<SampleEvent> events) {
  return {.timestamp_begin = begin, .timestamp_end = begin + 100, .events = std::move(events)};
}

using Texts = std::vector<std::string>;
using Times = std::vector<std::uint64_t>;

TEST_CASE("the layout is read from the metadata's declarations") {
  const std::optional<CtfLayout> large = read_ctf_layout(sample_metadata("large"));
  REQUIRE(large);
  CHECK(large->stream_id_at == 20);
  CHECK(large->timestamp_begin_at == 32);
  CHECK(large->content_size_at == 48);
  CHECK(large->discarded_at == 72);
  CHECK(large->events_at == 84);
  CHECK(large->id_bits == 16);
  CHECK(large->timestamp_bits == 32);
  CHECK(large->short_header_bytes == 6);
  CHECK(large->extended_header_bytes == 14);
  CHECK(large->clock_hz == 2'000'000'000);
  CHECK(large->uuid[15] == std::byte{0xFF});

  const std::optional<CtfLayout> compact = read_ctf_layout(sample_metadata("compact"));
  REQUIRE(compact);
  CHECK(compact->id_bits == 5);
  CHECK(compact->short_header_bytes == 4);
  CHECK(compact->extended_at == 1);
  CHECK(compact->extended_header_bytes == 13);
}

TEST_CASE("metadata cut off at any byte gives no layout yet") {
  const std::string whole = sample_metadata();
  for (std::size_t size = 0; size + 2 < whole.size(); ++size) {
    INFO(size);
    CHECK_FALSE(read_ctf_layout(std::string_view(whole).substr(0, size)));
  }
}

TEST_CASE("the text is taken from whole metadata packets, cut-off ones are left out") {
  const std::string first = metadata_packet("one ");
  const std::string both = first + metadata_packet("two");
  CHECK(ctf_metadata_text(bytes_of(both)) == "one two");
  CHECK(ctf_metadata_text(bytes_of(both.substr(0, both.size() - 1))) == "one ");
  CHECK(ctf_metadata_text(bytes_of("/* CTF 1.8 */ plain")) == "/* CTF 1.8 */ plain");
  CHECK_THROWS_AS(ctf_metadata_text(bytes_of("something else")), Error);
}

TEST_CASE("the error for an unknown layout names the difference") {
  const auto refusal = [](const std::string& text) -> std::string {
    try {
      read_ctf_layout(text);
    } catch (const Error& error) {
      CHECK_FALSE(error.remedy().empty());
      return error.what_failed();
    }
    return "";
  };
  const auto changed = [](const std::string& from, const std::string& to) {
    std::string text = sample_metadata();
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  CHECK_THAT(refusal(sample_metadata("large", "uint32_t value;")), Catch::Contains("fields"));
  CHECK_THAT(refusal(sample_metadata("large", "uint32_t n; uint32_t _payload[ n ];")),
             Catch::Contains("fields"));
  CHECK_THAT(refusal(sample_metadata("large", "uint32_t n; uint8_t p[ n ];", "other:event")),
             Catch::Contains("other:event"));
  CHECK_THAT(refusal(changed("byte_order = le", "byte_order = be")), Catch::Contains("little"));
  CHECK_THAT(refusal(changed("uint64_t packet_size; ", "")), Catch::Contains("packet_size"));
  CHECK_THAT(refusal(changed("uint32_t cpu_id", "uint64_t cpu_id")), Catch::Contains("cpu_id"));
  CHECK_THAT(refusal(changed("0 ... 65534", "0 ... 65533")), Catch::Contains("event header"));
  CHECK_THAT(refusal(changed("unsigned long events", "undeclared events")),
             Catch::Contains("undeclared"));
  CHECK_THAT(refusal(sample_metadata() + sample_metadata()), Catch::Contains("more than one"));
}

TEST_CASE("events are read with their full times and payloads") {
  const bool compact = GENERATE(false, true);
  const SampleTrace trace(metadata_packet(sample_metadata(compact ? "compact" : "large")));
  const std::uint64_t wrap = compact ? 1 << 27 : std::uint64_t{1} << 32;
  const std::uint64_t begin = 5 * wrap - 10;  // the short time stamp wraps within the packet
  const std::string one = sample_packet(packet_of(begin, {{begin, "a"},
                                                          {begin + 9, ""},
                                                          {begin + 12, std::string(300, 'x')},
                                                          {begin + 3 * wrap, "late", true},
                                                          {begin + 3 * wrap + 1, "b"}}),
                                        compact);
  const std::string two =
      sample_packet(packet_of(begin + 4 * wrap, {{begin + 4 * wrap, "c"}}), compact);
  trace.stream(one + two);
  const Keep keep = trace.read();
  CHECK(keep.timestamps == Times{begin, begin + 9, begin + 12, begin + 3 * wrap,
                                 begin + 3 * wrap + 1, begin + 4 * wrap});
  CHECK(keep.payloads == Texts{"a", "", std::string(300, 'x'), "late", "b", "c"});
  CHECK(keep.damaged_bytes == 0);
}

TEST_CASE("a packet is handed over once the file holds all of it") {
  const SampleTrace trace;
  const std::string first = sample_packet(packet_of(1000, {{1000, "one"}}));
  const std::string second = sample_packet(packet_of(2000, {{2000, "two"}}));
  trace.stream("");
  CtfTraceReader reader(trace.directory.path());
  Keep keep;
  CHECK(reader.poll(keep) == 0);
  trace.stream(first + second.substr(0, second.size() - 1));
  CHECK(reader.poll(keep) == 1);
  CHECK(reader.poll(keep) == 0);
  trace.stream(first + second);
  CHECK(reader.poll(keep) == 1);
  CHECK(keep.payloads == Texts{"one", "two"});
  reader.finish(keep);
  CHECK(keep.damaged_bytes == 0);
}

TEST_CASE("the whole events of a cut-off packet count, the rest is damage") {
  const SampleTrace trace;
  const std::string whole = sample_packet(packet_of(1000, {{1000, "one"}, {1001, "two"}}));
  trace.stream(whole.substr(0, 84 + 6 + 4 + 3 + 5));
  const Keep keep = trace.read();
  CHECK(keep.payloads == Texts{"one"});
  CHECK(keep.damaged_bytes == 5);
}

TEST_CASE("after damage the reader goes on at the next packet") {
  const SampleTrace trace;
  const std::string first = sample_packet(packet_of(1000, {{1000, "one"}, {1001, "lost"}}));
  const std::string second = sample_packet(packet_of(2000, {{2000, "two"}}));
  trace.stream(std::string(50, '\xC1') + first.substr(0, 84 + 6 + 4 + 3) + second + second);
  const Keep keep = trace.read();
  CHECK(keep.payloads == Texts{"one", "two", "two"});
  CHECK(keep.damaged_bytes == 50);
}

TEST_CASE(
    "the packets' headers tell which packets are missing and how many events were discarded") {
  const SampleTrace trace;
  CtfTraceReader reader(trace.directory.path());
  const auto packet = [](std::uint64_t sequence, std::uint64_t discarded, std::size_t bytes) {
    return sample_packet(
        {.sequence = sequence, .discarded = discarded, .events = {{1, std::string(bytes, 'x')}}});
  };
  trace.stream(packet(2, 0, 90) + packet(3, 9, 190) + packet(6, 0, 90) + packet(7, 9, 90));
  write_sample(trace.folder() / "events_1", packet(0, 3, 90) + packet(1, 5, 90));
  Keep keep;
  while (reader.poll(keep) > 0) {
  }
  reader.finish(keep);
  CHECK(keep.payloads.size() == 6);
  const CtfLosses losses = reader.losses(1084);  // room for 10 events of 100 bytes
  CHECK(losses.discarded_events == 9 + 5);
  CHECK(losses.missing_packets == 4);
  CHECK(losses.missing_events_limit == 40);
}

// Files of limited size: the names wrap around, and the packets' numbers tell their order.
TEST_CASE("files that wrapped around are read in the order of their packets") {
  const SampleTrace trace;
  const auto packet = [](std::uint64_t sequence) {
    return sample_packet({.sequence = sequence, .events = {{1, std::to_string(sequence)}}});
  };
  write_sample(trace.folder() / "events_0_0", packet(6) + packet(7));
  write_sample(trace.folder() / "events_0_1", packet(8));
  write_sample(trace.folder() / "events_0_2", packet(4) + packet(5));
  write_sample(trace.folder() / "events_1_0", packet(0));
  CtfTraceReader reader(trace.directory.path());
  reader.read_in_order();
  Keep keep;
  while (reader.poll(keep) > 0) {
  }
  reader.finish(keep);
  CHECK(keep.payloads == Texts{"4", "5", "6", "7", "8", "0"});
  CHECK(keep.damaged_bytes == 0);
  CHECK(reader.losses(1084).missing_packets == 4);
}

TEST_CASE("the error for traces without metadata names their folders") {
  TestDirectory directory;
  write_sample(directory / "events_0", "bytes");
  Keep keep;
  CtfTraceReader reader(directory.path());
  CHECK(reader.poll(keep) == 0);
  CHECK_THROWS_WITH(reader.finish(keep), Catch::Contains(directory.path().string()));
}

}  // namespace
}  // namespace tailgate
