#include <catch2/catch.hpp>
#include <fstream>

#include "harness/base/testing/test_directory.h"
#include "harness/etl/testing/trace_writer.h"
#include "providers/etw/metadata.h"
#include "providers/etw/options.h"
#include "providers/etw/roles.h"

namespace tailgate::etw {
namespace {

// Keeps any event: the ledger checks what the bytes mean.
class Received : public EventVisitor {
 public:
  void event(std::span<const std::byte> bytes) override {
    texts.emplace_back(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  void damage(std::size_t bytes) override { damaged_bytes += bytes; }

  std::vector<std::string> texts;
  std::size_t damaged_bytes = 0;
};

TrialContext context(const TestDirectory& folder, const char* mode = "file") {
  Options options(etw::options(), "sink 'etw'");
  options.set("mode", mode);
  return {.options = options, .directory = folder.path()};
}

etl::EventRecord event(const TrialContext& trial, std::int64_t time, const std::string& text) {
  etl::EventRecord event;
  event.provider = provider_guid(trial);
  event.flags = 1;
  event.time = time;
  event.extended.emplace_back(
      11, std::vector<std::uint8_t>(kEventMetadata.begin(), kEventMetadata.end()));
  event.payload = {static_cast<std::uint8_t>(text.size()), 0};
  event.payload.insert(event.payload.end(), text.begin(), text.end());
  return event;
}

void write(const std::filesystem::path& path, etl::TraceWriter& writer) {
  writer.flush_all();
  const std::vector<std::uint8_t> bytes = writer.file();
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

Received read(const TrialContext& trial) {
  Received received;
  const auto consumer = open_file_consumer(trial);
  while (consumer->poll(received) > 0) {
  }
  consumer->finish(received);
  return received;
}

TEST_CASE("only events of the trial's provider are handed over, in order of time") {
  const TestDirectory folder;
  const TrialContext trial = context(folder);
  etl::TraceWriter writer({});
  etl::EventRecord foreign = event(trial, 1'000'000'150, "foreign");
  foreign.provider = {};
  writer.add(0, event_record(event(trial, 1'000'000'100, "one")));
  writer.add(1, event_record(foreign));
  writer.add(1, event_record(event(trial, 1'000'000'200, "two")));
  writer.add(0, event_record(event(trial, 1'000'000'300, "three")));
  write(folder / "trace.etl", writer);
  const Received received = read(trial);
  CHECK(received.texts == std::vector<std::string>{"one", "two", "three"});
  CHECK(received.damaged_bytes == 0);
}

TEST_CASE("the several files of a session are read as one") {
  const TestDirectory folder;
  const TrialContext trial = context(folder, "new_file");
  for (int i = 1; i <= 3; ++i) {
    etl::TraceWriter writer({});
    writer.add(0, event_record(event(trial, 1'000'000'000 + i, std::to_string(i))));
    write(folder / ("trace-" + std::to_string(i) + ".etl"), writer);
  }
  CHECK(read(trial).texts == std::vector<std::string>{"1", "2", "3"});
}

TEST_CASE("an event without its metadata is damage") {
  const TestDirectory folder;
  const TrialContext trial = context(folder);
  etl::TraceWriter writer({});
  etl::EventRecord bare = event(trial, 1'000'000'100, "bare");
  bare.extended.clear();
  writer.add(0, event_record(bare));
  write(folder / "trace.etl", writer);
  const Received received = read(trial);
  CHECK(received.texts.empty());
  CHECK(received.damaged_bytes > 0);
}

TEST_CASE("a session without a file is an error") {
  const TestDirectory folder;
  CHECK_THROWS_WITH(open_file_consumer(context(folder)), Catch::Contains("has written no file"));
}

}  // namespace
}  // namespace tailgate::etw
