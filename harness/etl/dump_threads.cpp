#include "harness/etl/dump_threads.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include "harness/etl/event_blocks.h"

namespace tailgate::etl {
namespace {

// A block's text that grows beyond this is written as soon as it is the block's turn.
constexpr std::size_t kMaxThreadTextBytes = 1u << 20;

// Writes the texts of blocks in the order of their numbers.
class OrderedText {
 public:
  OrderedText(const TextSink& sink, std::size_t blocks) : sink_(sink), slots_(blocks) {}

  // Waits until another block may be read. Returns false when the dump is to stop.
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

class ThreadedDump {
 public:
  ThreadedDump(const std::vector<const TraceFile*>& files, Decoder& decoder,
               const DumpOptions& options, const TextSink& sink)
      : blocks_(files, decoder, options.filter),
        decoder_(decoder),
        options_(options),
        sink_(sink),
        output_(sink, std::size_t{2} * options.threads),
        text_(options) {}

  // Returns the notes.
  std::string run() {
    std::vector<std::thread> threads;
    threads.reserve(options_.threads);
    try {
      while (threads.size() + 1 < options_.threads) threads.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
      // The system allows no further thread: those that there are do the work.
    }
    work();
    for (std::thread& thread : threads) thread.join();
    output_.rethrow();
    if (output_.stopped()) return {};
    if (read_ == 0) write_heading();
    std::string footing;
    text_.append_footing(footing);
    if (!footing.empty()) sink_(footing);
    return any_passed_ ? dump_notes(text_, blocks_.name_limits()) : blocks_.matcher().why_nothing();
  }

 private:
  // What one thread needs.
  struct Worker {
    explicit Worker(const DumpOptions& options)
        : memory(DecodeMemory::kMaxBytes / options.threads),
          matcher(options.filter),
          text(options) {}

    EventBlock block;
    DecodeMemory memory;
    DecodedEvent event;
    FilterMatcher matcher;
    DumpText text;
    std::string out;
  };

  void work() {
    Worker worker(options_);
    try {
      while (read(worker.block) && format(worker)) output_.finish(worker.block.number, worker.out);
    } catch (...) {
      output_.stop(std::current_exception());
    }
    std::lock_guard lock(reading_);
    blocks_.matcher().note(worker.matcher);
    text_.add_seen(worker.text);
  }

  bool read(EventBlock& block) {
    std::lock_guard lock(reading_);
    if (!output_.wait_for_room(read_) || !blocks_.next(block)) return false;
    read_ = block.number + 1;
    return true;
  }

  // Returns false when the dump is to stop.
  bool format(Worker& worker) {
    const EventBlock& block = worker.block;
    if (block.number == 0) worker.text.append_heading(worker.out);
    for (const EventBlock::Item& item : block.items) {
      DecodedEvent& event = worker.event;
      decoder_.decode(item.record, item.own_name, worker.memory, event);
      event.header.process_id = item.process_id;
      event.header.thread_id = item.thread_id;
      const EventView view{event, item.record, *block.clock, *block.session, block.names};
      if (!worker.matcher.matches(view)) {
        if (!any_passed_.load(std::memory_order_relaxed)) worker.matcher.note(view);
        continue;
      }
      any_passed_.store(true, std::memory_order_relaxed);
      worker.text.append(view, item.attributed, worker.out);
      if (worker.out.size() > kMaxThreadTextBytes &&
          !output_.write_part(block.number, worker.out)) {
        return false;
      }
    }
    return true;
  }

  void write_heading() {
    std::string heading;
    text_.append_heading(heading);
    sink_(heading);
  }

  EventBlocks blocks_;
  const Decoder& decoder_;
  const DumpOptions& options_;
  const TextSink& sink_;
  OrderedText output_;
  std::atomic<bool> any_passed_{false};
  std::mutex reading_;      // guards blocks_, read_ and text_
  std::uint64_t read_ = 0;  // number of blocks
  DumpText text_;           // knows which columns any thread has seen
};

}  // namespace

std::string dump_on_threads(const std::vector<const TraceFile*>& files, Decoder& decoder,
                            const DumpOptions& options, const TextSink& sink) {
  return ThreadedDump(files, decoder, options, sink).run();
}

}  // namespace tailgate::etl
