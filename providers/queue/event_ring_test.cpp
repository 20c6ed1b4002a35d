#include "providers/queue/event_ring.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "harness/base/error.h"

namespace tailgate {
namespace {

using Put = EventRing::Put;

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

// What one take() hands over.
std::vector<std::string> taken(EventRing& ring, bool* open = nullptr) {
  std::vector<std::string> texts;
  const bool more = ring.take([&](std::span<const std::byte> event) {
    texts.emplace_back(reinterpret_cast<const char*>(event.data()), event.size());
  });
  if (open != nullptr) *open = more;
  return texts;
}

TEST_CASE("a ring hands events over in the order of the puts, whatever their sizes") {
  EventRing ring({.slots = 4, .max_event_bytes = 100});
  CHECK(ring.slot_bytes() == 128);  // 8 + 100, in whole lines of 64
  const std::vector<std::string> texts = {"a", std::string(100, 'b'), "", std::string(57, 'c')};
  for (int lap = 0; lap < 3; ++lap) {
    for (const std::string& text : texts) CHECK(ring.put(bytes_of(text), false) == Put::done);
    CHECK(taken(ring) == texts);
  }
}

TEST_CASE("a full ring refuses what does not wait, and takes again after a take") {
  EventRing ring({.slots = 2, .max_event_bytes = 8});
  CHECK(ring.put(bytes_of("123456789"), true) == Put::too_long);
  CHECK(ring.put(bytes_of("1"), false) == Put::done);
  CHECK(ring.put(bytes_of("2"), false) == Put::done);
  CHECK(ring.put(bytes_of("3"), false) == Put::full);
  CHECK(taken(ring) == std::vector<std::string>{"1", "2"});
  CHECK(ring.put(bytes_of("3"), false) == Put::done);
  ring.close();
  CHECK(ring.put(bytes_of("4"), false) == Put::closed);
  bool open = false;
  CHECK(taken(ring, &open) == std::vector<std::string>{"3"});
  CHECK(open);
  CHECK(taken(ring, &open).empty());
  CHECK_FALSE(open);
}

TEST_CASE("of several threads every event arrives once, and each thread's in its order") {
  constexpr std::uint64_t kThreads = 4;
  constexpr std::uint64_t kEach = 5000;
  const std::size_t slots = GENERATE(1, 3, 64);
  const std::size_t wake_events = GENERATE(1, 50);
  EventRing ring({.slots = slots,
                  .max_event_bytes = 16,
                  .wake_events = wake_events,
                  .wake_us = std::chrono::microseconds(100)});
  std::vector<std::uint64_t> next(kThreads);
  std::uint64_t out_of_order = 0;
  std::thread taker([&] {
    while (ring.take([&](std::span<const std::byte> event) {
      std::uint64_t stamp[2];
      std::memcpy(stamp, event.data(), sizeof(stamp));
      if (stamp[1] != next.at(stamp[0])++) ++out_of_order;
    })) {
    }
  });
  std::vector<std::thread> putters;
  for (std::uint64_t number = 0; number < kThreads; ++number) {
    putters.emplace_back([&ring, number] {
      for (std::uint64_t i = 0; i < kEach; ++i) {
        const std::uint64_t stamp[2] = {number, i};
        if (ring.put(std::as_bytes(std::span(stamp)), true) != Put::done) return;
      }
    });
  }
  for (std::thread& putter : putters) putter.join();
  ring.close();
  taker.join();
  CHECK(out_of_order == 0);
  CHECK(next == std::vector<std::uint64_t>(kThreads, kEach));
}

TEST_CASE("a ring of more memory than it may have is an error") {
  CHECK_THROWS_AS(EventRing({.slots = 1 << 24, .max_event_bytes = 1000}), Error);
}

}  // namespace
}  // namespace tailgate
