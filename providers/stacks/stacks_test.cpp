#include "providers/stacks/stacks.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <string>
#include <vector>

#include "providers/shared/callstack/call_stack.h"
#include "providers/shared/callstack/nested_call.h"
#include "providers/stacks/stack_words.h"
#include "providers/testing/read_back.h"
#include "providers/testing/sinks.h"
#include "providers/testing/test_trial.h"

namespace tailgate {
namespace {

using Catch::Contains;

Probe probe_of(const std::string& text) {
  const SinkChoice choice = sink_choice(text);
  return choice.type->probe(choice.options);
}

// Whether this system walks call stacks: an emulator may not.
bool captures_stacks() {
  return probe_of("null:stacks_depth_frames=64:stacks_by=call").available;
}

std::vector<void*> some_frames(std::size_t count) {
  std::vector<void*> frames;
  for (std::size_t i = 0; i < count; ++i) {
    frames.push_back(reinterpret_cast<void*>(0x7f00'1234'5678 + 0x1111 * i));
  }
  return frames;
}

TEST_CASE("a stack that was written is found, and no other") {
  const EventEncoding encoding = GENERATE(EventEncoding::binary, EventEncoding::text);
  std::vector<std::byte> event = prepare_event(encoding, 300);
  const std::vector<void*> frames = some_frames(8);
  CHECK_FALSE(ends_in_stack(event, encoding, frames));
  write_stack(event, encoding, frames);
  CHECK(ends_in_stack(event, encoding, frames));
  // What lies before the stack is the pattern still.
  const std::vector<std::byte> pattern = prepare_event(encoding, 300);
  const std::size_t before = 300 - stack_bytes(encoding, 8);
  CHECK(std::memcmp(event.data(), pattern.data(), before) == 0);
  for (std::size_t at = before; at < event.size(); ++at) {
    std::vector<std::byte> changed = event;
    changed[at] ^= std::byte{1};
    CHECK_FALSE(ends_in_stack(changed, encoding, frames));
  }
  std::vector<void*> others = frames;
  others.back() = static_cast<char*>(others.back()) + 1;
  CHECK_FALSE(ends_in_stack(event, encoding, others));
  CHECK_FALSE(ends_in_stack(std::span(event).first(20), encoding, frames));
}

TEST_CASE("a stack is found in a process that has the program at another address") {
  std::vector<std::byte> event = prepare_event(EventEncoding::binary, 300);
  const std::vector<void*> frames = some_frames(3);
  write_stack(event, EventEncoding::binary, frames);
  std::byte* const words = event.data() + event.size() - stack_bytes(EventEncoding::binary, 3);
  for (std::size_t i = 0; i < 4; ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, words + 8 * i, 8);
    word += 0x5000;
    std::memcpy(words + 8 * i, &word, 8);
  }
  CHECK(ends_in_stack(event, EventEncoding::binary, frames));
}

TEST_CASE("events with stacks are in the sink's file, and come back whole") {
  if (!captures_stacks()) return;
  const std::string sink = GENERATE("file", "spdlog");  // binary events, and text
  const std::string also = GENERATE("", ":fields_count=2", ":queued_events=64");
  if (!probe_of(sink).available) return;  // a build without spdlog
  TestTrial trial(sink + also + ":stacks_depth_frames=5:stacks_by=call", 2, 100, 300);
  const Record record = emit_and_read_back(trial, 20, 2);
  CHECK(record.sequences.size() == 40);
  CHECK(record.bad_events == 0);
  CHECK(record.damaged_bytes == 0);
}

TEST_CASE("an event whose stack was changed under way is corrupted") {
  if (!captures_stacks()) return;
  TestTrial trial("file:mode=write:stacks_depth_frames=4:stacks_by=call", 1, 100, 200);
  CHECK(emit_and_read_back(trial, 5, 1).bad_events == 0);
  // The file ends in the last event's stack.
  REQUIRE(change_files(trial, [](std::string& text) {
    if (text.size() < 5 * 200) return false;
    text[text.size() - 3] ^= 1;
    return true;
  }));
  const Record record = trial.read_back();
  CHECK(record.sequences.size() == 4);
  CHECK(record.bad_events == 1);
}

TEST_CASE("without a capture events are as they were") {
  TestTrial trial("file:stacks_depth_frames=64", 1, 100, 128);
  const Record record = emit_and_read_back(trial, 5, 1);
  CHECK(record.sequences.size() == 5);
  CHECK(record.bad_events == 0);
}

TEST_CASE("events that have no room for their stack are told before the load") {
  TestTrial trial("null:stacks_depth_frames=64:stacks_by=call", 1, 100, 128);
  CHECK_THROWS_WITH(trial.open(),
                    Contains("events of 128 bytes have no room for a stack of 64 frames"));
}

TEST_CASE("of events of several sizes those without room are refused") {
  TestTrial trial("null:stacks_depth_frames=8:stacks_by=call", 1, 100, 300);
  trial.open();
  CHECK(cause_of_refusal(trial, prepare_event(EventEncoding::binary, 90)) ==
        "too short for its stack");
}

std::string granted_by_sink(const std::string& sink) {
  TestTrial trial(sink + ":stacks_depth_frames=1");
  for (const auto& [name, value] : trial.session().granted()) {
    if (name == "stacks_by_sink") return value;
  }
  return "";
}

TEST_CASE("the session says whether the sink's path can record stacks, and why not") {
  CHECK(granted_by_sink("synthetic") == "yes");
  CHECK(granted_by_sink("file") == "no: its path gets the event's bytes alone");
  CHECK_FALSE(probe_of("file:stacks_by=sink").available);
  CHECK(probe_of("synthetic:stacks_by=sink").available);
}

std::uint64_t call_ns(TestTrial& trial) {
  const std::uint64_t start_ns = trial.context().clock.now_ns();
  trial.emit();
  return trial.context().clock.now_ns() - start_ns;
}

// A call never takes less than what is planted; a disturbed machine makes it longer.
TEST_CASE("who captures decides whether the sink does, whatever its own option says") {
  if (!captures_stacks()) return;
  const std::string planted = "synthetic:service_ns=0:stack=true:stack_frame_ns=1_000_000";
  TestTrial by_sink(planted + ":stacks_depth_frames=20:stacks_by=sink");
  by_sink.open();
  CHECK(call_ns(by_sink) >= 20'000'000);
  TestTrial none(planted + ":stacks_depth_frames=20:stacks_by=none");
  none.open();
  std::uint64_t least_ns = ~std::uint64_t{0};
  for (int i = 0; i < 10; ++i) least_ns = std::min(least_ns, call_ns(none));
  CHECK(least_ns < 20'000'000);
}

}  // namespace
}  // namespace tailgate
