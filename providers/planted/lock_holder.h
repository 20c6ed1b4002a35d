// A thread beside the load that holds a lock which calls take: they wait for it.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>

namespace tailgate {

class LockHolder {
 public:
  // Starts the thread. It holds the lock for hold_ns, once in every_ns, which is longer; the
  // system's timer makes both some 50 us longer.
  LockHolder(std::uint64_t hold_ns, std::uint64_t every_ns);
  // Waits until the thread has ended: up to every_ns.
  ~LockHolder();
  LockHolder(const LockHolder&) = delete;
  LockHolder& operator=(const LockHolder&) = delete;

  // Takes the lock and gives it up at once. Many threads may.
  void pass() noexcept { const std::lock_guard held(mutex_); }

 private:
  void run(std::uint64_t hold_ns, std::uint64_t pause_ns);

  std::mutex mutex_;
  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

}  // namespace tailgate
