// Finds where an event was between its call's return and the moment at which the live reader saw
// it: in the program's buffer, in the session's, with a daemon, or waiting for the reader.
//
// No record says which thread has which event. The path is inferred backwards from the reader, from
// when threads ran and which thread woke which; harness/explain/README.md says how, and where that
// can be wrong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/activity/timeline.h"
#include "harness/explain/call_cutter.h"

namespace tailgate::activity {

// The threads through which events go, by the system's ids; the timeline watches them.
struct Carriers {
  std::vector<std::uint32_t> load;
  std::vector<std::uint32_t> daemons;
  std::uint32_t reader = 0;
};

class DeliveryPath {
 public:
  // timeline, cutter and carriers must outlive the path; the timeline meets the cutter's
  // requirements.
  DeliveryPath(const Timeline& timeline, CallCutter& cutter, const Carriers& carriers)
      : timeline_(timeline), cutter_(cutter), carriers_(carriers) {}

  // Returns slices from `sent` to `seen` in order of time that leave nothing out.
  std::vector<Slice> cut(Ticks sent, Ticks seen);

 private:
  enum class Role { daemon, reader };

  // The thread that has the event at `time`. The path before that time is not known yet.
  struct At {
    std::uint32_t thread;
    Role role;
    Ticks time;
  };
  using Slices = std::vector<Slice>;  // here latest first

  std::optional<At> before(const At& at, Ticks sent, Slices& slices);
  std::optional<At> before_wake(const At& at, const ThreadHistory& history, std::size_t wait,
                                Ticks sent, Slices& slices);
  std::optional<At> before_reader(const At& at, Ticks slept_since, Ticks sent, Slices& slices);
  std::optional<std::size_t> last_wait(const ThreadHistory& history, const At& at, Ticks sent);
  bool waits_for_work(const ThreadHistory& history, std::uint32_t thread, std::size_t stretch);
  bool by_timer(std::uint32_t thread, Ticks woken) const;
  std::optional<At> last_daemon(Ticks from, Ticks until) const;
  void add_work(const At& at, Ticks from, Slices& slices);
  void add_buffer(Cause cause, Ticks from, Ticks until, std::uint32_t waker, bool timer,
                  Slices& slices) const;

  const Timeline& timeline_;
  CallCutter& cutter_;
  const Carriers& carriers_;
};

}  // namespace tailgate::activity
