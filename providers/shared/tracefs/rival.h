// A second tracefs instance that records the same provider. Another controller creates, stops and
// removes it under load. A trace marker writes into one instance only, so the session tells the
// program of the second instance, and the program opens its marker, too. LTTng's session daemon
// does the same for its programs.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <thread>

#include "harness/os/mapped_file.h"
#include "harness/tracefs/instance.h"

namespace tailgate::tracefs {

// The controller: a process of its own, which knows nothing of the first instance.
class RivalController {
 public:
  // Makes the instance, and records its name in `directory`. Throws Error.
  RivalController(const std::filesystem::path& directory, const InstanceOptions& how);
  // Removes the instance.
  ~RivalController();
  RivalController(const RivalController&) = delete;
  RivalController& operator=(const RivalController&) = delete;

  // Stops the recording; what the instance has recorded stays readable. Throws Error.
  void end();

 private:
  void read_answer() const;
  void leave() noexcept;

  int socket_ = -1;
  int process_ = 0;
};

// The messages of the session to the programs, in a file that all of them map.
class RivalCall {
 public:
  enum Said : std::uint32_t { kNothing, kListen, kLeave };

  // Throws Error.
  explicit RivalCall(const std::filesystem::path& directory);

  void say(Said what);
  Said said() const;
  // Returns when something else has been said, or the time is over.
  void wait_while_said(Said what, std::chrono::nanoseconds at_most) const;
  // Wakes those that wait.
  void wake();

  // A program says that it listens, or that it cannot.
  void answer(bool listens);
  // Waits until so many programs listen. Throws Error if one cannot, or when the time is over.
  void wait_for_programs(unsigned programs, std::chrono::nanoseconds at_most) const;

 private:
  struct State {
    std::atomic<std::uint32_t> said;
    std::atomic<std::uint32_t> answers;
    std::atomic<std::uint32_t> refusals;
  };

  MappedFile file_;
  State* state_;
};

// In the program: a thread that waits for the call. It opens the second instance's marker, which
// every call then writes to, too.
class RivalListener {
 public:
  // open: opens that marker; throws Error.
  RivalListener(const std::filesystem::path& directory, std::function<Handle()> open);
  ~RivalListener();
  RivalListener(const RivalListener&) = delete;
  RivalListener& operator=(const RivalListener&) = delete;

  // The marker's descriptor; below 0: there is none.
  int marker() const noexcept { return marker_.load(std::memory_order_acquire); }

 private:
  void run();

  RivalCall call_;
  std::function<Handle()> open_;
  Handle file_;
  std::atomic<int> marker_ = -1;
  std::atomic<bool> stopped_ = false;
  std::thread thread_;
};

}  // namespace tailgate::tracefs
