#include "harness/etl/prefetcher.h"

#include <algorithm>

namespace tailgate::etl {

Prefetcher::Prefetcher(unsigned helpers) {
  for (unsigned i = 0; i < helpers; ++i) {
    helpers_.emplace_back([this] { work(); });
  }
}

Prefetcher::~Prefetcher() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  queued_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
}

void Prefetcher::request(PrefetchSlot& slot, const TraceFile& file, const BufferRef& buffer) {
  slot.file_ = &file;
  slot.buffer_ = &buffer;
  // An uncompressed buffer is a view of the file, so there is nothing to prefetch.
  bool worth_a_helper = !helpers_.empty() && (buffer.flags & kCompressed);
  if (!worth_a_helper) {
    slot.state_ = PrefetchSlot::State::queued;
    return;
  }
  {
    std::lock_guard lock(mutex_);
    slot.state_ = PrefetchSlot::State::queued;
    queue_.push_back(&slot);
  }
  queued_.notify_one();
}

Bytes Prefetcher::take(PrefetchSlot& slot) {
  std::unique_lock lock(mutex_);
  if (slot.state_ == PrefetchSlot::State::queued) {
    auto at = std::find(queue_.begin(), queue_.end(), &slot);
    if (at != queue_.end()) queue_.erase(at);
    lock.unlock();
    slot.bytes_ = load_buffer(*slot.file_, *slot.buffer_, slot.scratch_);
    slot.state_ = PrefetchSlot::State::idle;
    return slot.bytes_;
  }
  // A helper is decompressing this buffer. Decompressing the next one meanwhile is better than
  // sleeping: to sleep and wake up costs more than a buffer.
  while (slot.state_ != PrefetchSlot::State::done) {
    if (queue_.empty()) {
      finished_.wait(lock);
    } else {
      load_first(lock);
    }
  }
  slot.state_ = PrefetchSlot::State::idle;
  return slot.bytes_;
}

void Prefetcher::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    queued_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
    if (stopping_) return;
    load_first(lock);
    finished_.notify_all();
  }
}

void Prefetcher::load_first(std::unique_lock<std::mutex>& lock) {
  PrefetchSlot* slot = queue_.front();
  queue_.pop_front();
  slot->state_ = PrefetchSlot::State::running;
  lock.unlock();
  slot->bytes_ = load_buffer(*slot->file_, *slot->buffer_, slot->scratch_);
  lock.lock();
  slot->state_ = PrefetchSlot::State::done;
}

}  // namespace tailgate::etl
