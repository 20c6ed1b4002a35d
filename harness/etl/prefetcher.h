// Decompresses buffers ahead of the reader on helper threads.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "harness/etl/trace_file.h"

namespace tailgate::etl {

// Room for one decompressed buffer, and the request to fill it. The reader owns it; a helper uses
// it only between request() and take().
class PrefetchSlot {
 public:
  // The buffer's bytes, as load_buffer() returns them.
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
  // helpers: number of threads besides the caller's. With 0, take() decompresses every buffer.
  explicit Prefetcher(unsigned helpers);
  ~Prefetcher();
  Prefetcher(const Prefetcher&) = delete;
  Prefetcher& operator=(const Prefetcher&) = delete;

  // Queues the buffer. The slot must be idle; slot and buffer must exist until the matching take().
  void request(PrefetchSlot& slot, const TraceFile& file, const BufferRef& buffer);

  // Returns the bytes of the requested buffer, valid until the slot's next request(), and makes the
  // slot idle. If no helper has begun with the buffer, the caller decompresses it. If a helper is
  // at it, the caller decompresses other requested buffers meanwhile. Only one thread may call it.
  Bytes take(PrefetchSlot& slot);

 private:
  void work();
  // Loads the queue's first buffer; releases the lock meanwhile.
  void load_first(std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable queued_;
  std::condition_variable finished_;
  std::deque<PrefetchSlot*> queue_;
  std::vector<std::thread> helpers_;
  bool stopping_ = false;
};

}  // namespace tailgate::etl
