#include "providers/queue/queue.h"

#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <vector>

#include "providers/testing/sinks.h"
#include "providers/testing/test_trial.h"

namespace tailgate {
namespace {

using Catch::Contains;

std::uint64_t lost_to(const Provider& provider, const std::string& cause) {
  std::uint64_t events = 0;
  for (const Loss& loss : provider.losses()) events += loss.cause == cause ? loss.events : 0;
  return events;
}

TEST_CASE("an option that begins with queued_ puts any sink behind a queue") {
  const SinkChoice plain = sink_choice("synthetic:service_ns=100");
  const SinkChoice queued = sink_choice("synthetic:service_ns=100:queued_events=16");
  CHECK(plain.type != queued.type);
  CHECK(queued.type->name() == "synthetic");
  CHECK(queued.options.integer("service_ns") == 100);
  const Capabilities can = queued.type->capabilities(queued.options);
  CHECK(can.asynchronous);
  CHECK(can.deferred_work);
  CHECK(can.survives == Survives::nothing);
  CHECK_THROWS_WITH(sink_choice("null:queued_event=1"), Contains("did you mean 'queued_events'?"));
}

TEST_CASE("a queue and a planted change go together, the change behind the queue") {
  TestTrial trial("synthetic:plant_loss_share=1:queued_events=16");
  trial.open();
  for (int i = 0; i < 10; ++i) CHECK(trial.emit().empty());
  trial.provider().close();
  CHECK(lost_to(trial.provider(), "planted") == 10);
}

TEST_CASE("closing hands the queue's events to the sink, of all threads") {
  const std::string wake = GENERATE("1", "1000");
  TestTrial trial("file:mode=write:queued_events=100:queued_wake_events=" + wake, 3);
  trial.open();
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < 3; ++thread) trial.emit(thread);  // makes their counters
  for (int i = 0; i < 500; ++i) {
    for (unsigned thread = 0; thread < 3; ++thread) CHECK(trial.emit(thread).empty());
  }
  trial.provider().close();
  trial.provider().close();
  CHECK(trial.emit() == "closed");
  trial.session().stop();
  CHECK(trial.lost() == 0);
  CHECK(trial.read_back().sequences.size() == 3 * 501);
}

TEST_CASE("a full queue drops events and counts each, or makes the caller wait") {
  const bool drops = GENERATE(true, false);
  TestTrial trial(std::string("synthetic:service_ns=2_000_000:queued_events=4:queued_when_full=") +
                  (drops ? "drop" : "block"));
  trial.open();
  const Clock& clock = trial.context().clock;
  const std::uint64_t start_ns = clock.now_ns();
  for (int i = 0; i < 20; ++i) CHECK(trial.emit().empty());
  const std::uint64_t passed_ns = clock.now_ns() - start_ns;
  trial.provider().close();
  trial.session().stop();
  const std::uint64_t dropped = lost_to(trial.provider(), "queue full");
  CHECK(trial.read_back().sequences.size() + dropped == 20);
  if (drops) {
    CHECK(dropped > 0);
  } else {
    CHECK(dropped == 0);
    // At most 4 of the 20 were not yet taken, and the others took the sink's time.
    CHECK(passed_ns >= std::uint64_t{20 - 4 - 4} * 2'000'000);
  }
}

TEST_CASE("what the sink refuses behind the queue is lost, with its cause") {
  TestTrial trial("synthetic:refuse_every=2:queued_events=64");
  trial.open();
  for (int i = 0; i < 20; ++i) CHECK(trial.emit().empty());
  trial.provider().close();
  trial.session().stop();
  CHECK(lost_to(trial.provider(), "refused behind the queue: planted") == 10);
  CHECK(trial.read_back().sequences.size() == 10);
}

TEST_CASE("the session says how the queue runs") {
  TestTrial trial("null:queued_when_full=drop");
  const auto granted = trial.session().granted();
  const auto has = [&](const char* name, const char* value) {
    for (const auto& [key, text] : granted) {
      if (key == name) return text == value;
    }
    return false;
  };
  CHECK(has("queued_when_full", "drop"));
  CHECK(has("queued_events", "8192"));
}

}  // namespace
}  // namespace tailgate
