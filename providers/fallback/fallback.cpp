#include "providers/fallback/fallback.h"

#include <fmt/format.h>

#include <fstream>

#include "harness/base/error.h"
#include "providers/registry.h"

namespace tailgate {
namespace {

constexpr const char* kFirst = "first";
constexpr const char* kSecond = "second";

// Names the sink that was started, for the other two roles.
std::filesystem::path choice_path(const TrialContext& context) {
  return context.directory / "fallback";
}

const SinkType& sink_of(const Options& options, const char* which) {
  const SinkType& sink = find_sink(options.text(which));
  if (&sink == &fallback_sink()) {
    throw Error(fmt::format("sink 'fallback': {} = 'fallback' leads nowhere", which),
                "name another sink");
  }
  return sink;
}

Options defaults_of(const SinkType& sink) {
  return Options(sink.options(), fmt::format("sink '{}'", sink.name()));
}

TrialContext context_for(const SinkType& sink, TrialContext context) {
  context.options = defaults_of(sink);
  return context;
}

const SinkType& chosen_sink(const TrialContext& context) {
  std::string which;
  std::ifstream(choice_path(context)) >> which;
  if (which.empty()) {
    throw Error("sink 'fallback': no session has chosen between its sinks",
                "start the session before provider and consumer");
  }
  return sink_of(context.options, which.c_str());
}

class FallbackSession : public Session {
 public:
  explicit FallbackSession(const TrialContext& context) : context_(context) {}

  void start() override {
    try {
      start_sink(kFirst);
    } catch (const Error& error) {
      first_failed_ = error.what_failed();
      start_sink(kSecond);
    }
  }

  std::vector<std::pair<std::string, std::string>> granted() const override {
    if (!session_) return {};
    auto granted = session_->granted();
    granted.emplace_back("used", used_);
    if (!first_failed_.empty()) granted.emplace_back("first_failed", first_failed_);
    return granted;
  }
  std::vector<DaemonProcess> daemons() const override {
    return session_ ? session_->daemons() : std::vector<DaemonProcess>{};
  }
  std::vector<std::pair<std::string, std::string>> environment() const override {
    if (!session_) return {};
    return session_->environment();
  }
  int namespace_pid() const override { return session_ ? session_->namespace_pid() : 0; }
  void stop() override {
    if (session_) session_->stop();
  }
  std::vector<std::uint64_t> daemons_cpu_in_stop_ns() const override {
    return session_ ? session_->daemons_cpu_in_stop_ns() : std::vector<std::uint64_t>{};
  }
  std::vector<Loss> losses() const override {
    return session_ ? session_->losses() : std::vector<Loss>{};
  }

 private:
  void start_sink(const char* which) {
    const SinkType& sink = sink_of(context_.options, which);
    const TrialContext context = context_for(sink, context_);
    const Probe probe = sink.probe(context.options);
    if (!probe.available) throw Error(sink.name() + ": " + probe.reason, probe.remedy);
    std::unique_ptr<Session> session = sink.make_session(context);
    session->start();
    session_ = std::move(session);
    used_ = sink.name();
    std::ofstream(choice_path(context_)) << which;
  }

  TrialContext context_;
  std::unique_ptr<Session> session_;
  std::string used_;
  std::string first_failed_;
};

class FallbackSink : public SinkType {
 public:
  std::string name() const override { return "fallback"; }
  std::string description() const override {
    return "a sink, and another where the first cannot be started";
  }

  OptionTable options() const override {
    return {{kFirst, OptionType::text, "etw", "sink that is tried first, with its defaults"},
            {kSecond, OptionType::text, "eventlog", "sink in its place, with its defaults"}};
  }

  // What either of them can do.
  Capabilities capabilities(const Options& options) const override {
    const SinkType& first = sink_of(options, kFirst);
    const SinkType& second = sink_of(options, kSecond);
    const Capabilities a = first.capabilities(defaults_of(first));
    const Capabilities b = second.capabilities(defaults_of(second));
    return {.read_back = a.read_back && b.read_back,
            .live_read = a.live_read && b.live_read,
            .accounts_losses = a.accounts_losses && b.accounts_losses,
            .asynchronous = a.asynchronous || b.asynchronous,
            .deferred_work = a.deferred_work || b.deferred_work,
            .may_refuse = a.may_refuse || b.may_refuse,
            .multi_threaded = a.multi_threaded && b.multi_threaded,
            .text_events = a.text_events || b.text_events};
  }

  Probe probe(const Options& options) const override {
    const SinkType& first = sink_of(options, kFirst);
    const SinkType& second = sink_of(options, kSecond);
    const Probe of_first = first.probe(defaults_of(first));
    const Probe of_second = second.probe(defaults_of(second));
    if (of_first.available) return of_first;
    const std::string why = fmt::format("{}: {}", first.name(), of_first.reason);
    if (of_second.available) {
      return {.reason = fmt::format("{} is used: {}", second.name(), why),
              .remedy = of_first.remedy};
    }
    return {.available = false,
            .reason = fmt::format("{}; {}: {}", why, second.name(), of_second.reason),
            .remedy = of_first.remedy};
  }

  std::unique_ptr<Session> make_session(const TrialContext& context) const override {
    return std::make_unique<FallbackSession>(context);
  }
  std::unique_ptr<Provider> open_provider(const TrialContext& context) const override {
    const SinkType& sink = chosen_sink(context);
    return sink.open_provider(context_for(sink, context));
  }
  std::unique_ptr<Consumer> open_consumer(const TrialContext& context) const override {
    const SinkType& sink = chosen_sink(context);
    return sink.open_consumer(context_for(sink, context));
  }
};

}  // namespace

const SinkType& fallback_sink() {
  static const FallbackSink sink;
  return sink;
}

}  // namespace tailgate
