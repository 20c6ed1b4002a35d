#include "providers/shared/callstack/nested_call.h"

namespace tailgate {
namespace {

struct Nesting {
  InnermostCall& call;
  std::size_t frames_left;
  std::size_t returned = 0;
};

void nest(Nesting& nesting) noexcept;

// The compiler cannot know which function this is, so it makes no loop of the calls.
void (*volatile next_frame)(Nesting&) noexcept = nest;

void nest(Nesting& nesting) noexcept {
  if (--nesting.frames_left == 0) {
    nesting.call.run();
  } else {
    next_frame(nesting);
  }
  ++nesting.returned;  // work after the call, so that it is no jump
}

}  // namespace

void call_under(std::size_t frames, InnermostCall& call) noexcept {
  Nesting nesting{call, frames};
  if (frames == 0) {
    call.run();
  } else {
    next_frame(nesting);
  }
}

const void* nested_frame_function() {
  return reinterpret_cast<const void*>(next_frame);
}

}  // namespace tailgate
