// Decompresses buffers ahead of the reader on helper threads.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "providers/etw/etl/trace_file.h"

namespace tailgate::etl {

// Room for one decompressed buffer, and the work of filling it. Owned by the reader; touched by a
// helper only between request() and take().
class PrefetchSlot {
 public:
  // The buffer's bytes, as load_buffer() gives them.
  Bytes bytes() const { return bytes_; }

 private:
  friend class Prefetcher;
  enum class State { idle, queued, running, done };

  const TraceFile* file_ = nullptr;
  const BufferRef* buffer_ = nullptr;
  std::vector<std::uint8_t> scratch_;
  Bytes bytes_;
  State state_ = State::idle;
};

class Prefetcher {
 public:
  // helpers: threads besides the caller's; 0 decompresses everything in take().
  explicit Prefetcher(unsigned helpers);
  ~Prefetcher();
  Prefetcher(const Prefetcher&) = delete;
  Prefetcher& operator=(const Prefetcher&) = delete;

  // Queues the buffer. The slot must be idle, and both must outlive the matching take().
  void request(PrefetchSlot& slot, const TraceFile& file, const BufferRef& buffer);

  // Waits until the requested buffer is there, decompressing it here if no helper has begun and
  // other requested ones while a helper is at it, and makes the slot idle. Returns the bytes, which
  // stay valid until the slot's next request(). For one thread only.
  Bytes take(PrefetchSlot& slot);

 private:
  void work();
  // Loads the queue's first buffer, not holding the lock meanwhile.
  void load_first(std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable queued_;
  std::condition_variable finished_;
  std::deque<PrefetchSlot*> queue_;
  std::vector<std::thread> helpers_;
  bool stopping_ = false;
};

}  // namespace tailgate::etl
