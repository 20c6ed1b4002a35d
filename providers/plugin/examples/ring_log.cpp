// A plugin in C++20: a queue in memory that drops what does not fit, and a worker that writes it to
// a file. It has options, counts its losses, and refuses when asked to.
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include <tailgate/sink.hpp>

namespace {

using namespace tailgate::plugin;

const char* const kWhenFull[] = {"drop", "refuse", nullptr};
const tailgate_option kOptions[] = {
    {"queue_events", TAILGATE_INTEGER, "8192", "capacity of the queue", 1, 1 << 20, nullptr},
    {"when_full", TAILGATE_CHOICE, "drop", "drop the event and count it, or refuse it", 0, 0,
     kWhenFull},
    {}};
const char* const kRefusals[] = {"closed", "queue full", nullptr};

class RingLog : public Provider {
 public:
  explicit RingLog(const Context& context)
      : capacity_(static_cast<std::size_t>(context.integer("queue_events"))),
        refuse_(context.text("when_full") == "refuse"),
        file_(std::fopen(context.log_path().c_str(), "w")) {
    if (!file_) throw std::runtime_error("the log '" + context.log_path() + "' cannot be opened");
    worker_ = std::thread([this] { write(); });
  }
  ~RingLog() override { RingLog::close(); }

  std::uint8_t emit(unsigned, Event event) {
    {
      const std::lock_guard lock(mutex_);
      if (closed_) return 1;
      if (queue_.size() >= capacity_) {
        if (refuse_) return 2;
        ++dropped_;
        return kAccepted;
      }
      queue_.emplace_back(event.text());
    }
    changed_.notify_one();
    return kAccepted;
  }

  void close() override {
    {
      const std::lock_guard lock(mutex_);
      if (std::exchange(closed_, true)) return;
    }
    changed_.notify_one();
    worker_.join();
    file_.reset();
  }

  std::vector<Loss> losses() override { return {{"queue full", dropped_}}; }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  void write() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return closed_ || !queue_.empty(); });
      if (queue_.empty()) return;
      std::deque<std::string> batch = std::exchange(queue_, {});
      lock.unlock();
      for (const std::string& line : batch) std::fprintf(file_.get(), "%s\n", line.c_str());
      std::fflush(file_.get());
      lock.lock();
    }
  }

  std::size_t capacity_;
  bool refuse_;
  std::unique_ptr<std::FILE, Close> file_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> queue_;
  std::uint64_t dropped_ = 0;
  bool closed_ = false;
  std::thread worker_;
};

}  // namespace

TAILGATE_PLUGIN(RingLog,
                {.name = "ring_log",
                 .description = "a queue and a worker that writes lines",
                 .flags = TAILGATE_TEXT_EVENTS | TAILGATE_LIVE_READ | TAILGATE_ACCOUNTS_LOSSES |
                          TAILGATE_ASYNCHRONOUS | TAILGATE_DEFERRED_WORK | TAILGATE_MAY_REFUSE,
                 .read_back = TAILGATE_READ_LINES,
                 .options = kOptions,
                 .refusal_causes = kRefusals})
