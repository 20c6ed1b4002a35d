#include "providers/shared/callstack/call_stack.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <vector>

#include "providers/shared/callstack/nested_call.h"

namespace tailgate {
namespace {

class Capture : public InnermostCall {
 public:
  explicit Capture(std::size_t room) : frames_(room) {}
  void run() noexcept override { written_ = capture_call_stack(frames_); }

  std::vector<void*> frames() const {
    return {frames_.begin(), frames_.begin() + static_cast<std::ptrdiff_t>(written_)};
  }

 private:
  std::vector<void*> frames_;
  std::size_t written_ = 0;
};

std::vector<void*> captured_under(std::size_t frames, std::size_t room) {
  Capture capture(room);
  call_under(frames, capture);
  return capture.frames();
}

// Whether this system can walk its stacks at all: an emulator may not.
bool can_walk() {
  return captured_under(0, 3).size() == 3;
}

std::size_t most_of_one_address(const std::vector<void*>& stack) {
  std::map<void*, std::size_t> times;
  std::size_t most = 0;
  for (void* address : stack) most = std::max(most, ++times[address]);
  return most;
}

TEST_CASE("a nested call adds so many frames, all of one function, to the stack") {
  prepare_call_stacks();
  if (!can_walk()) return;
  constexpr std::size_t kRoom = 256;
  const std::vector<void*> without = captured_under(0, kRoom);
  REQUIRE(without.size() < kRoom);
  const std::size_t most_without = most_of_one_address(without);
  for (const std::size_t frames : {1u, 2u, 17u, 64u}) {
    const std::vector<void*> stack = captured_under(frames, kRoom);
    CHECK(stack.size() == without.size() + frames);
    // All but the innermost return to the same place.
    CHECK(most_of_one_address(stack) == std::max(most_without, frames - 1));
  }
}

TEST_CASE("a capture ends where its room does, and has the innermost frames") {
  if (!can_walk()) return;
  const std::vector<void*> whole = captured_under(20, 256);
  for (const std::size_t room : {1u, 2u, 8u, 20u}) {
    const std::vector<void*> frames = captured_under(20, room);
    REQUIRE(frames.size() == room);
    // The first is in the capture, the others are where calls return to.
    CHECK(std::equal(frames.begin() + 1, frames.end(), whole.begin() + 1));
  }
}

TEST_CASE("a nested call runs what is innermost once") {
  struct Count : InnermostCall {
    void run() noexcept override { ++calls; }
    int calls = 0;
  };
  Count count;
  call_under(0, count);
  call_under(1, count);
  call_under(64, count);
  CHECK(count.calls == 3);
}

}  // namespace
}  // namespace tailgate
