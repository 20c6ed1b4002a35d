#include "providers/queue/queue.h"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <exception>
#include <future>
#include <thread>
#include <utility>

#include "harness/os/process.h"
#include "harness/sink/wrapped_sink.h"
#include "providers/queue/event_ring.h"

namespace tailgate {
namespace {

constexpr std::string_view kPrefix = "queued_";
constexpr EmitStatus kClosed = 1;
constexpr EmitStatus kTooLong = 2;

OptionTable queue_options() {
  return {
      {"queued_events", OptionType::integer, "8192", "events that the queue holds at most", 1,
       1 << 24},
      choice_option("queued_when_full", "block",
                    "a full queue makes the caller wait, or drops its event and counts it as lost",
                    {"block", "drop"}),
      {"queued_wake_events", OptionType::integer, "1",
       "the queue's thread sleeps until so many events are there", 1, 1 << 24},
      {"queued_wake_us", OptionType::integer, "1000",
       "with queued_wake_events above 1: it sleeps for so long at most", 1, 1e9},
  };
}

// What the sink behind the queue knows of the trial: one thread makes all calls.
TrialContext behind_queue(TrialContext context) {
  context.threads = 1;
  return context;
}

EventRing::Plan ring_plan(const TrialContext& context) {
  const Options& options = context.options;
  const auto wake_events = static_cast<std::size_t>(options.integer("queued_wake_events"));
  return {.slots = static_cast<std::size_t>(options.integer("queued_events")),
          .max_event_bytes = context.max_event_bytes,
          .wake_events = wake_events,
          .wake_us =
              std::chrono::microseconds(wake_events > 1 ? options.integer("queued_wake_us") : 0)};
}

class QueueSession : public WrappedSession {
 public:
  QueueSession(std::unique_ptr<Session> session, Options options)
      : WrappedSession(std::move(session)), options_(std::move(options)) {}

  std::vector<std::pair<std::string, std::string>> granted() const override {
    auto granted = WrappedSession::granted();
    for (auto& [name, value] : options_.resolved()) {
      if (is_queue_option(name)) granted.emplace_back(name, value);
    }
    return granted;
  }

 private:
  Options options_;
};

class QueueProvider : public Provider {
 public:
  QueueProvider(std::unique_ptr<Provider> provider, const TrialContext& context)
      : provider_(std::move(provider)),
        ring_(ring_plan(context)),
        waits_for_room_(context.options.text("queued_when_full") == "block") {
    std::promise<void> warm;
    std::future<void> is_warm = warm.get_future();
    taker_ = std::thread([this, warm = std::move(warm)]() mutable { make_calls(warm); });
    try {
      is_warm.get();
    } catch (...) {
      taker_.join();
      throw;
    }
  }

  ~QueueProvider() override { drain(); }

  EmitStatus emit(unsigned, std::span<const std::byte> event) noexcept override {
    switch (ring_.put(event, waits_for_room_)) {
      case EventRing::Put::done:
        break;
      case EventRing::Put::full:
        dropped_.fetch_add(1, std::memory_order_relaxed);
        break;
      case EventRing::Put::closed:
        return kClosed;
      case EventRing::Put::too_long:
        return kTooLong;
    }
    return kAccepted;
  }

  std::vector<std::string> refusal_causes() const override {
    return {"closed", "longer than a slot"};
  }

  void close() override {
    drain();
    provider_->close();
  }

  std::vector<Loss> losses() const override {
    std::vector<Loss> losses = provider_->losses();
    if (dropped_ > 0) losses.push_back({"queue full", dropped_});
    const std::vector<std::string> causes = provider_->refusal_causes();
    for (std::size_t i = 0; i < refused_.size(); ++i) {
      if (refused_[i] > 0)
        losses.push_back({"refused behind the queue: " + causes[i], refused_[i]});
    }
    return losses;
  }

 private:
  // The queue's thread.
  void make_calls(std::promise<void>& warm) {
    name_this_thread("tg-queue");
    try {
      provider_->warm_up(0);
    } catch (...) {
      warm.set_exception(std::current_exception());
      return;
    }
    warm.set_value();
    while (ring_.take([this](std::span<const std::byte> event) {
      const EmitStatus status = provider_->emit(0, event);
      if (status != kAccepted) ++refused_.at(status - 1u);
    })) {
    }
  }

  void drain() {
    ring_.close();
    if (taker_.joinable()) taker_.join();
  }

  std::unique_ptr<Provider> provider_;
  EventRing ring_;
  bool waits_for_room_;
  std::atomic<std::uint64_t> dropped_ = 0;
  std::array<std::uint64_t, kMaxRefusalCauses> refused_{};  // of the queue's thread until it ended
  std::thread taker_;
};

class QueuedSink : public WrappedSink {
 public:
  explicit QueuedSink(std::shared_ptr<const SinkType> sink)
      : WrappedSink(std::move(sink), "a queue", queue_options()) {}

  Capabilities capabilities(const Options& options) const override {
    Capabilities can = WrappedSink::capabilities(options);
    can.asynchronous = true;
    can.deferred_work = true;
    can.survives = Survives::nothing;
    can.multi_threaded = true;
    return can;
  }

  std::unique_ptr<Session> make_session(const TrialContext& context) const override {
    return std::make_unique<QueueSession>(WrappedSink::make_session(behind_queue(context)),
                                          context.options);
  }
  std::unique_ptr<Provider> open_provider(const TrialContext& context) const override {
    return std::make_unique<QueueProvider>(WrappedSink::open_provider(behind_queue(context)),
                                           context);
  }
};

}  // namespace

bool is_queue_option(std::string_view name) {
  return name.starts_with(kPrefix);
}

std::unique_ptr<const SinkType> put_behind_queue(std::shared_ptr<const SinkType> sink) {
  return std::make_unique<QueuedSink>(std::move(sink));
}

}  // namespace tailgate
