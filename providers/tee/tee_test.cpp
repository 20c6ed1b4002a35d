#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/sink/sink.h"
#include "providers/testing/sinks.h"
#include "providers/testing/test_trial.h"

namespace tailgate {
namespace {

using Catch::Contains;

// What a consumer of several copies hands over.
class Copies : public EventVisitor {
 public:
  void event(std::span<const std::byte>) override { ++events; }
  void damage(std::size_t) override { ++damaged; }
  void copy(std::size_t number, std::span<const std::byte>) override { ++of[number]; }

  std::uint64_t events = 0;
  std::uint64_t damaged = 0;
  std::map<std::size_t, std::uint64_t> of;
};

struct ReadCopies {
  Copies copies;
  std::vector<Loss> losses;
  std::string failure;
};

ReadCopies read_copies(const std::string& choice, TestTrial& trial, std::uint64_t missing) {
  ReadCopies read;
  const auto consumer = sink_choice(choice).type->open_consumer(trial.context());
  while (consumer->poll(read.copies) > 0) {
  }
  try {
    consumer->finish(read.copies);
  } catch (const Error& error) {
    read.failure = error.what_failed();
  }
  read.losses = consumer->losses(missing);
  return read;
}

std::uint64_t emit_and_close(TestTrial& trial, int events) {
  std::uint64_t refused = 0;
  trial.open();
  for (int i = 0; i < events; ++i) refused += trial.emit().empty() ? 0 : 1;
  trial.provider().close();
  trial.session().stop();
  return refused;
}

TEST_CASE("a tee's event is in all of its sinks, two of one kind included") {
  const std::string choice = "tee:first=file:second=file+mode=mmap:third=synthetic";
  TestTrial trial(choice);
  CHECK(emit_and_close(trial, 100) == 0);
  const ReadCopies read = read_copies(choice, trial, 0);
  CHECK(read.copies.events == 100);
  CHECK(read.copies.damaged == 0);
  CHECK(read.copies.of == std::map<std::size_t, std::uint64_t>{{0, 100}, {1, 100}, {2, 100}});
  CHECK(sink_choice(choice).type->copies(sink_choice(choice).options) ==
        std::vector<std::string>{"file", "file:mode=mmap", "synthetic"});
}

TEST_CASE("what one of a tee's sinks refuses or loses is in the others, and counted once") {
  struct Planted {
    const char* sink;
    std::uint64_t refused;
    std::uint64_t lost;
  };
  const Planted planted = GENERATE(Planted{"synthetic+refuse_every=10", 10, 0},
                                   Planted{"synthetic+lose_every=10", 0, 10});
  const std::string choice =
      std::string("tee:first=") + planted.sink + ":second=file:third=" + planted.sink;
  TestTrial trial(choice);
  CHECK(emit_and_close(trial, 100) == planted.refused);
  const ReadCopies read = read_copies(choice, trial, planted.lost);
  CHECK(read.copies.events == 90);
  CHECK(read.copies.of == std::map<std::size_t, std::uint64_t>{{0, 90}, {1, 100}, {2, 90}});
  std::uint64_t lost = 0;
  for (const Loss& loss : read.losses) lost += loss.events;
  CHECK(lost == planted.lost);
  if (planted.lost > 0) CHECK(read.losses.front().cause == "synthetic: planted");
}

TEST_CASE("a refusal has the name of the sink that refused") {
  TestTrial trial("tee:first=file:second=synthetic+refuse_over_bytes=64");
  trial.open();
  CHECK(trial.emit() == "synthetic: planted");
  trial.provider().close();
  CHECK(trial.emit() == "file: closed");
  trial.session().stop();
}

TEST_CASE("copies that differ are damage, and a duplicate in one sink is a duplicate") {
  const std::string changed = "tee:first=file:second=synthetic+corrupt_every=4";
  TestTrial trial(changed);
  emit_and_close(trial, 100);
  const ReadCopies read = read_copies(changed, trial, 0);
  CHECK(read.copies.events == 75);
  CHECK(read.copies.damaged == 25);
  const std::string twice = "tee:first=synthetic+duplicate_every=4:second=file";
  TestTrial other(twice);
  emit_and_close(other, 100);
  const ReadCopies again = read_copies(twice, other, 0);
  CHECK(again.copies.events == 125);
  CHECK(again.copies.damaged == 0);
}

TEST_CASE("a sink that cannot be read hides no other") {
  const std::string choice = "tee:first=file:second=synthetic";
  TestTrial trial(choice);
  emit_and_close(trial, 100);
  std::filesystem::remove_all(trial.directory().path() / "0");
  const ReadCopies read = read_copies(choice, trial, 0);
  CHECK_THAT(read.failure, Contains("sink 'file'"));
  CHECK(read.copies.of == std::map<std::size_t, std::uint64_t>{{1, 100}});
}

TEST_CASE("a tee of itself, of nothing or of an unknown sink is refused") {
  const auto probe = [](const std::string& text) {
    const SinkChoice choice = sink_choice(text);
    return choice.type->probe(choice.options);
  };
  CHECK_THROWS_WITH(probe("tee:second=tee"), Contains("names itself"));
  CHECK_THROWS_WITH(probe("tee:first=:second="), Contains("no sink to write to"));
  CHECK_THROWS_WITH(probe("tee:first=fil"), Contains("did you mean 'file'?"));
  CHECK(probe("tee:first=null:second=file").available);
}

}  // namespace
}  // namespace tailgate
