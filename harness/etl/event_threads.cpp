#include "harness/etl/event_threads.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

namespace tailgate::etl {
namespace {

// A block's text that grows beyond this is written as soon as it is the block's turn.
constexpr std::size_t kMaxThreadTextBytes = 1u << 20;

// Writes the texts of blocks in the order of their numbers.
class OrderedText {
 public:
  OrderedText(const TextSink& sink, std::size_t blocks) : sink_(sink), slots_(blocks) {}

  // Waits until another block may be read. Returns false when all is to stop.
  bool wait_for_room(std::uint64_t number) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stopped_ || number - written_ < slots_.size(); });
    return !stopped_;
  }

  // Waits for the block's turn, writes a part of it, and empties the text. Returns false when the
  // dump is to stop.
  bool write_part(std::uint64_t number, std::string& text) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stopped_ || (number == written_ && !writing_); });
    if (!stopped_) write(text, lock);
    return !stopped_;
  }

  // Takes the rest of a block's text, and leaves an empty text whose memory can be used again. Then
  // writes all blocks whose turn has come.
  void finish(std::uint64_t number, std::string& text) {
    std::unique_lock lock(mutex_);
    Slot& own = slots_[number % slots_.size()];
    own.text.swap(text);
    own.finished = true;
    while (!stopped_ && !writing_) {
      Slot& first = slots_[written_ % slots_.size()];
      if (!first.finished) break;
      write(first.text, lock);
      first.finished = false;
      ++written_;
      changed_.notify_all();
    }
  }

  void stop(std::exception_ptr failure) {
    std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::move(failure);
    stopped_ = true;
    changed_.notify_all();
  }

  bool stopped() const { return stopped_; }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  struct Slot {
    std::string text;
    bool finished = false;
  };

  // Releases the lock meanwhile.
  void write(std::string& text, std::unique_lock<std::mutex>& lock) {
    writing_ = true;
    lock.unlock();
    const bool taken = sink_(text);
    text.clear();
    if (text.capacity() > 2 * kMaxThreadTextBytes) text = {};
    lock.lock();
    writing_ = false;
    if (!taken) stopped_ = true;
    changed_.notify_all();
  }

  const TextSink& sink_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Slot> slots_;  // index: number % size
  std::uint64_t written_ = 0;
  bool writing_ = false;
  bool stopped_ = false;
  std::exception_ptr failure_;
};

class ThreadedFormat {
 public:
  ThreadedFormat(const std::vector<const TraceFile*>& files, Decoder& decoder,
                 const EventFilter& filter,
                 const std::vector<std::unique_ptr<EventFormatter>>& formatters,
                 const TextSink& sink)
      : blocks_(files, decoder, filter),
        decoder_(decoder),
        filter_(filter),
        formatters_(formatters),
        output_(sink, 2 * formatters.size()) {}

  FormattedEvents run() {
    std::vector<std::thread> threads;
    threads.reserve(formatters_.size());
    try {
      for (std::size_t i = 1; i < formatters_.size(); ++i) {
        threads.emplace_back([this, i] { work(*formatters_[i]); });
      }
    } catch (const std::system_error&) {
      // The system allows no further thread: those that there are do the work.
    }
    work(*formatters_.front());
    for (std::thread& thread : threads) thread.join();
    output_.rethrow();
    FormattedEvents result;
    result.stopped = output_.stopped();
    if (result.stopped) return result;
    result.passed = passed_;
    if (passed_ == 0) result.why_nothing = blocks_.records().matcher().why_nothing();
    result.name_limits = blocks_.records().name_limits();
    return result;
  }

 private:
  // What one thread needs.
  struct Worker {
    Worker(const EventFilter& filter, std::size_t threads, EventFormatter& own)
        : memory(DecodeMemory::kMaxBytes / threads), matcher(filter), formatter(own) {}

    EventBlock block;
    DecodeMemory memory;
    DecodedEvent event;
    FilterMatcher matcher;
    EventFormatter& formatter;
    std::string out;
  };

  void work(EventFormatter& formatter) {
    Worker worker(filter_, formatters_.size(), formatter);
    try {
      while (read(worker.block) && format(worker)) output_.finish(worker.block.number, worker.out);
    } catch (...) {
      output_.stop(std::current_exception());
    }
    std::lock_guard lock(reading_);
    blocks_.records().matcher().note(worker.matcher);
  }

  bool read(EventBlock& block) {
    std::lock_guard lock(reading_);
    if (!output_.wait_for_room(read_) || !blocks_.next(block)) return false;
    read_ = block.number + 1;
    return true;
  }

  // Returns false when all is to stop.
  bool format(Worker& worker) {
    const EventBlock& block = worker.block;
    std::uint64_t passed = 0;
    for (const EventBlock::Item& item : block.items) {
      DecodedEvent& event = worker.event;
      decoder_.decode(item.record, item.own_name, worker.memory, event);
      event.header.process_id = item.process_id;
      event.header.thread_id = item.thread_id;
      const EventView view{event, item.record, *block.clock, *block.session, block.names};
      if (!worker.matcher.matches(view)) {
        if (passed_.load(std::memory_order_relaxed) == 0) worker.matcher.note(view);
        continue;
      }
      if (passed++ == 0) passed_.fetch_add(1, std::memory_order_relaxed);
      worker.formatter.append(view, item.attributed, block, worker.out);
      if (worker.out.size() > kMaxThreadTextBytes &&
          !output_.write_part(block.number, worker.out)) {
        return false;
      }
    }
    if (passed > 1) passed_.fetch_add(passed - 1, std::memory_order_relaxed);
    return true;
  }

  EventBlocks blocks_;
  const Decoder& decoder_;
  const EventFilter& filter_;
  const std::vector<std::unique_ptr<EventFormatter>>& formatters_;
  OrderedText output_;
  std::atomic<std::uint64_t> passed_{0};
  std::mutex reading_;      // guards blocks_ and read_
  std::uint64_t read_ = 0;  // number of blocks
};

}  // namespace

FormattedEvents format_on_threads(const std::vector<const TraceFile*>& files, Decoder& decoder,
                                  const EventFilter& filter,
                                  const std::vector<std::unique_ptr<EventFormatter>>& formatters,
                                  const TextSink& sink) {
  return ThreadedFormat(files, decoder, filter, formatters, sink).run();
}

}  // namespace tailgate::etl
