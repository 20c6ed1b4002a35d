#include "providers/stacks/stacks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "harness/base/enum_text.h"
#include "harness/sink/wrapped_sink.h"
#include "providers/shared/callstack/call_stack.h"
#include "providers/shared/callstack/nested_call.h"
#include "providers/stacks/stack_words.h"

namespace tailgate {

// Who captures the stack.
enum class StackBy { none, call, sink };
template <>
inline constexpr auto kEnumTexts<StackBy> = enum_texts<StackBy>({{StackBy::none, "none"},
                                                                 {StackBy::call, "call"},
                                                                 {StackBy::sink, "sink"}});

namespace {

constexpr std::string_view kPrefix = "stacks_";
// A sink's own option by which its path records the stack of each event's caller.
constexpr std::string_view kSinksOption = "stack";

OptionTable stacks_options() {
  return {
      {"stacks_depth_frames", OptionType::integer, "0",
       "nested frames under which each call is made", 0, kMostCapturedFrames},
      {"stacks_by", OptionType::choice, "none",
       "who captures the stack: the call, as many frames; or the sink's path, as it does", 0, 0,
       enum_choices<StackBy>()},
  };
}

struct StacksPlan {
  StacksPlan(const Options& options, EventEncoding event_encoding)
      : encoding(event_encoding),
        depth(static_cast<std::size_t>(options.integer("stacks_depth_frames"))),
        captured(options.text("stacks_by") == enum_text(StackBy::call) ? depth : 0),
        bytes(captured > 0 ? stack_bytes(encoding, captured) : 0) {}

  std::size_t least_bytes() const { return min_event_bytes(encoding) + bytes; }

  EventEncoding encoding;
  std::size_t depth;
  std::size_t captured;  // frames that the call captures
  std::size_t bytes;     // of these in the event
};

// What is done in the innermost frame: the capture, and the sink's call.
class StackedCall : public InnermostCall {
 public:
  explicit StackedCall(const StacksPlan& plan) : plan_(plan) {}

  // Before run(): the call to make. Without, the stack is captured alone.
  void set(Provider& provider, unsigned thread, std::span<std::byte> event) noexcept {
    provider_ = &provider;
    thread_ = thread;
    event_ = event;
  }

  void run() noexcept override {
    if (plan_.captured > 0) {
      found_ = capture_call_stack(std::span(frames_).first(plan_.captured));
      if (found_ < plan_.captured) return;
      if (provider_ != nullptr) write_stack(event_, plan_.encoding, frames());
    }
    if (provider_ != nullptr) status_ = provider_->emit(thread_, event_);
  }

  bool is_whole() const { return found_ >= plan_.captured; }
  std::size_t found() const { return found_; }
  std::span<void* const> frames() const { return std::span(frames_).first(found_); }
  EmitStatus status() const { return status_; }

 private:
  const StacksPlan& plan_;
  Provider* provider_ = nullptr;
  unsigned thread_ = 0;
  std::span<std::byte> event_;
  std::array<void*, kMostCapturedFrames> frames_ = {};
  std::size_t found_ = 0;
  EmitStatus status_ = kAccepted;
};

// The frames that a call under that plan has, in this process.
std::vector<void*> frames_of(const StacksPlan& plan) {
  prepare_call_stacks();
  StackedCall call(plan);
  call_under(plan.depth, call);
  return {call.frames().begin(), call.frames().end()};
}

class StacksProvider : public Provider {
 public:
  StacksProvider(std::unique_ptr<Provider> provider, const TrialContext& context)
      : provider_(std::move(provider)),
        plan_(context.options, context.encoding),
        causes_(provider_->refusal_causes()) {
    if (context.max_event_bytes < plan_.least_bytes()) {
      throw Error(fmt::format("events of {} bytes have no room for a stack of {} frames",
                              context.max_event_bytes, plan_.captured),
                  fmt::format("give {} bytes or more, or fewer frames", plan_.least_bytes()));
    }
    add_cause(too_short_, "too short for its stack");
    add_cause(not_whole_, "stack not captured");
    for (unsigned thread = 0; thread < context.threads; ++thread) {
      buffers_.emplace_back(context.max_event_bytes);
    }
  }

  void warm_up(unsigned thread) override {
    prepare_call_stacks();
    provider_->warm_up(thread);
  }

  EmitStatus emit(unsigned thread, std::span<const std::byte> event) noexcept override {
    if (event.size() < plan_.least_bytes()) return too_short_;
    const std::span<std::byte> copy(buffers_[thread].data(), event.size());
    std::memcpy(copy.data(), event.data(), event.size());
    StackedCall call(plan_);
    call.set(*provider_, thread, copy);
    call_under(plan_.depth, call);
    return call.is_whole() ? call.status() : not_whole_;
  }

  std::vector<std::string> refusal_causes() const override { return causes_; }
  void close() override { provider_->close(); }
  std::vector<Loss> losses() const override { return provider_->losses(); }

 private:
  // The last cause has to serve for several if the sink has nearly as many as there may be.
  void add_cause(EmitStatus& status, std::string cause) {
    if (causes_.size() < kMaxRefusalCauses) causes_.push_back(std::move(cause));
    status = static_cast<EmitStatus>(causes_.size());
  }

  std::unique_ptr<Provider> provider_;
  StacksPlan plan_;
  std::vector<std::string> causes_;
  EmitStatus too_short_ = 1;
  EmitStatus not_whole_ = 1;
  std::vector<std::vector<std::byte>> buffers_;  // one per thread
};

// Hands events on without their stacks, with the pattern in their place, so that they are checked
// as all others are. An event with another stack is handed on as it is: its body is wrong.
class StacksVisitor : public EventVisitor {
 public:
  StacksVisitor(EventVisitor& visitor, const StacksPlan& plan, std::span<void* const> frames,
                std::span<const std::byte> pattern)
      : visitor_(visitor), plan_(plan), frames_(frames), pattern_(pattern) {}

  void event(std::span<const std::byte> bytes) override { visitor_.event(without_stack(bytes)); }
  void damage(std::size_t bytes) override { visitor_.damage(bytes); }
  void copy(std::size_t number, std::span<const std::byte> bytes) override {
    visitor_.copy(number, without_stack(bytes));
  }

 private:
  std::span<const std::byte> without_stack(std::span<const std::byte> bytes) {
    if (plan_.captured == 0) return bytes;
    if (bytes.size() < plan_.least_bytes() || bytes.size() > pattern_.size()) return bytes;
    if (!ends_in_stack(bytes, plan_.encoding, frames_)) return bytes;
    event_.assign(bytes.begin(), bytes.end());
    const std::size_t at = bytes.size() - plan_.bytes;
    std::memcpy(event_.data() + at, pattern_.data() + at, plan_.bytes);
    return event_;
  }

  EventVisitor& visitor_;
  const StacksPlan& plan_;
  std::span<void* const> frames_;
  std::span<const std::byte> pattern_;
  std::vector<std::byte> event_;
};

class StacksConsumer : public Consumer {
 public:
  StacksConsumer(std::unique_ptr<Consumer> consumer, const TrialContext& context)
      : consumer_(std::move(consumer)),
        plan_(context.options, context.encoding),
        frames_(frames_of(plan_)),
        pattern_(prepare_event(context.encoding, context.max_event_bytes)) {}

  std::size_t poll(EventVisitor& visitor) override {
    StacksVisitor without(visitor, plan_, frames_, pattern_);
    return consumer_->poll(without);
  }
  void finish(EventVisitor& visitor) override {
    StacksVisitor without(visitor, plan_, frames_, pattern_);
    consumer_->finish(without);
  }
  std::vector<Loss> losses(std::uint64_t missing) const override {
    return consumer_->losses(missing);
  }

 private:
  std::unique_ptr<Consumer> consumer_;
  StacksPlan plan_;
  std::vector<void*> frames_;
  std::vector<std::byte> pattern_;
};

// The sink's own session, which also says whether its path could capture the stacks.
class StacksSession : public WrappedSession {
 public:
  StacksSession(std::unique_ptr<Session> session, std::string by_sink)
      : WrappedSession(std::move(session)), by_sink_(std::move(by_sink)) {}

  std::vector<std::pair<std::string, std::string>> granted() const override {
    std::vector<std::pair<std::string, std::string>> all = WrappedSession::granted();
    all.emplace_back("stacks_by_sink", by_sink_);
    return all;
  }

 private:
  std::string by_sink_;
};

class StacksSink : public WrappedSink {
 public:
  explicit StacksSink(std::shared_ptr<const SinkType> sink)
      : WrappedSink(std::move(sink), "stacks", stacks_options()) {}

  Capabilities capabilities(const Options& options) const override {
    return WrappedSink::capabilities(sinks_own(options));
  }
  Probe probe(const Options& options) const override;
  std::vector<std::string> copies(const Options& options) const override {
    return WrappedSink::copies(sinks_own(options));
  }

  std::unique_ptr<Session> make_session(const TrialContext& context) const override {
    return std::make_unique<StacksSession>(WrappedSink::make_session(sinks_own(context)),
                                           by_sink(context.options));
  }
  std::unique_ptr<Provider> open_provider(const TrialContext& context) const override {
    return std::make_unique<StacksProvider>(WrappedSink::open_provider(sinks_own(context)),
                                            context);
  }
  std::unique_ptr<Consumer> open_consumer(const TrialContext& context) const override {
    return std::make_unique<StacksConsumer>(WrappedSink::open_consumer(sinks_own(context)),
                                            context);
  }

 private:
  bool can_by_sink() const {
    const OptionTable table = options();
    return std::any_of(table.begin(), table.end(), [](const OptionSpec& spec) {
      return spec.name == kSinksOption && spec.type == OptionType::boolean;
    });
  }

  std::string by_sink(const Options& options) const {
    return can_by_sink() ? "yes" : "no: " + why_not_by_sink(options);
  }

  std::string why_not_by_sink(const Options& options) const {
    const std::string reason = WrappedSink::capabilities(options).no_stacks;
    return reason.empty() ? "its path gets the event's bytes alone" : reason;
  }

  // Who captures decides about the sink's own option, too.
  Options sinks_own(Options options) const {
    if (!can_by_sink()) return options;
    const bool by_sink = options.text("stacks_by") == enum_text(StackBy::sink);
    options.set(kSinksOption, by_sink ? "true" : "false");
    return options;
  }
  TrialContext sinks_own(TrialContext context) const {
    context.options = sinks_own(std::move(context.options));
    return context;
  }
};

Probe StacksSink::probe(const Options& options) const {
  if (options.text("stacks_by") == enum_text(StackBy::sink) && !can_by_sink()) {
    return {.available = false,
            .reason = "its path cannot record the caller's stack: " + why_not_by_sink(options),
            .remedy = "have the call capture it: stacks_by=call"};
  }
  const StacksPlan plan(options, EventEncoding::binary);
  if (const std::size_t found = frames_of(plan).size(); found < plan.captured) {
    return {.available = false,
            .reason = fmt::format("this system captures {} of {} frames", found, plan.captured),
            .remedy = "capture stacks on another system"};
  }
  return WrappedSink::probe(sinks_own(options));
}

}  // namespace

bool is_stacks_option(std::string_view name) {
  return name.starts_with(kPrefix);
}

std::unique_ptr<const SinkType> give_stacks(std::shared_ptr<const SinkType> sink) {
  return std::make_unique<StacksSink>(std::move(sink));
}

}  // namespace tailgate
