// A daemon that spends processor time for every event, as a session's own daemons do.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>

namespace tailgate {

// Whether this operating system's burner is there.
bool burner_available();

// How many events there have been, in memory that the provider process and the burner share.
class WorkCounter {
 public:
  // Opens the counter in that file, which is made when it is missing. Throws Error.
  explicit WorkCounter(const std::filesystem::path& path);
  ~WorkCounter();
  WorkCounter(const WorkCounter&) = delete;
  WorkCounter& operator=(const WorkCounter&) = delete;

  void add() noexcept { events_->fetch_add(1, std::memory_order_relaxed); }
  std::uint64_t events() const noexcept { return events_->load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t>* events_;
};

// The daemon: looks at the counter every millisecond and spends ns_per_event for each new event; at
// 0 it sleeps.
class Burner {
 public:
  // Starts it. Throws Error.
  Burner(const std::filesystem::path& counter, std::uint64_t ns_per_event);
  ~Burner() { stop(); }
  Burner(const Burner&) = delete;
  Burner& operator=(const Burner&) = delete;

  int pid() const { return pid_; }

  // Ends it at once, whatever is left to do. A second call does nothing.
  void stop();

 private:
  int pid_ = 0;
};

}  // namespace tailgate
