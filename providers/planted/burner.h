// A daemon that spends processor time for every event, as a session's own daemons do.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>

namespace tailgate {

// Whether the burner exists for this operating system.
bool burner_available();

// Counts the emitted events, in memory that the provider process and the burner share.
class WorkCounter {
 public:
  // Maps the counter from the file `path`, which is created when it is missing. Throws Error.
  explicit WorkCounter(const std::filesystem::path& path);
  ~WorkCounter();
  WorkCounter(const WorkCounter&) = delete;
  WorkCounter& operator=(const WorkCounter&) = delete;

  void add() noexcept { events_->fetch_add(1, std::memory_order_relaxed); }
  std::uint64_t events() const noexcept { return events_->load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t>* events_;
};

// The daemon process. It polls the counter every millisecond or less often and spends ns_per_event
// of processor time for each new event. At 0 it sleeps all the time.
class Burner {
 public:
  // Starts the daemon. Throws Error.
  Burner(const std::filesystem::path& counter, std::uint64_t ns_per_event);
  ~Burner() { stop(); }
  Burner(const Burner&) = delete;
  Burner& operator=(const Burner&) = delete;

  int pid() const { return pid_; }

  // Kills the daemon, even when work is left. A second call does nothing.
  void stop();

 private:
  int pid_ = 0;
};

}  // namespace tailgate
