#include "harness/sink/sink.h"

#include <catch2/catch.hpp>

#include <fstream>
#include <thread>

#include "providers/testing/sinks.h"
#include "providers/testing/test_trial.h"

namespace tailgate {
namespace {

bool available() {
  const SinkChoice choice = sink_choice("spdlog");
  const Probe probe = choice.type->probe(choice.options);
  if (!probe.available) WARN("skipped: " << probe.reason << "; " << probe.remedy);
  return probe.available;
}

std::string first_line(const TestTrial& trial) {
  std::ifstream file(trial.directory().path() / "spdlog.log");
  std::string line;
  std::getline(file, line);
  return line;
}

TEST_CASE("an overrunning queue loses exactly what the library counts") {
  if (!available()) return;
  constexpr std::uint64_t kPerThread = 20000;
  TestTrial trial("spdlog:mode=async_overrun:queue_events=16:flush_each=true", 2);
  trial.open();
  const auto load = [&](unsigned thread) {
    for (std::uint64_t i = 0; i < kPerThread; ++i) {
      const std::string event = event_text(thread * kPerThread + i, 128, EventEncoding::text);
      trial.provider().emit(thread, std::as_bytes(std::span(event)));
    }
  };
  std::thread other([&] { load(1); });
  load(0);
  other.join();
  trial.provider().close();
  const Record record = trial.read_back();
  CHECK(record.bad_events + record.damaged_bytes == 0);
  CHECK(record.sequences.size() + trial.lost() == 2 * kPerThread);
  // The worker writes to the file after each message, the callers only copy: so the queue overruns.
  CHECK(trial.lost() > 0);
}

TEST_CASE("a blocking queue loses nothing") {
  if (!available()) return;
  TestTrial trial("spdlog:mode=async_block:queue_events=1");
  trial.open();
  for (int i = 0; i < 2000; ++i) trial.emit();
  trial.provider().close();
  CHECK(trial.read_back().sequences.size() == 2000);
  CHECK(trial.provider().losses().empty());
}

TEST_CASE("a line is the event alone, or the event after the library's default prefix") {
  if (!available()) return;
  for (const bool plain : {true, false}) {
    TestTrial trial(plain ? "spdlog" : "spdlog:pattern=default");
    trial.open();
    trial.emit();
    trial.provider().close();
    CHECK((first_line(trial).front() == '[') != plain);
    CHECK(trial.read_back().sequences.size() == 1);
  }
}

TEST_CASE("with flush_each a message can be read before the provider closes") {
  if (!available()) return;
  TestTrial trial("spdlog:flush_each=true");
  trial.open();
  trial.emit();
  const Record record = trial.read_back();
  CHECK(record.sequences.size() == 1);
}

TEST_CASE("the session reports the library's version") {
  if (!available()) return;
  TestTrial trial("spdlog");
  CHECK(trial.session().granted().front().second.starts_with("spdlog 1."));
}

}  // namespace
}  // namespace tailgate
