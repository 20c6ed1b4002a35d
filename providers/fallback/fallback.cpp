// Sink "fallback": uses one sink, or another when the first cannot be started. So do programs that
// log through ETW, and to the Event Log where they may not start an ETW session.

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "harness/base/error.h"
#include "harness/sink/catalog.h"
#include "harness/sink/wrapped_sink.h"

namespace tailgate {
namespace {

constexpr const char* kName = "fallback";
constexpr const char* kFirst = "first";
constexpr const char* kSecond = "second";

// The file in which the session leaves the option ("first" or "second") whose sink it started. The
// provider and the consumer read it.
std::filesystem::path choice_path(const TrialContext& context) {
  return context.directory / "fallback";
}

// The sink that the option `which` names. Its options follow plus signs, as in "file+mode=mmap": a
// colon would end the fallback's own option.
SinkChoice choice_of(const SinkCatalog& sinks, const Options& options, const char* which) {
  std::string text = options.text(which);
  std::replace(text.begin(), text.end(), '+', ':');
  SinkChoice choice = sinks.choice(text);
  if (choice.type->name() == kName) {
    throw Error(fmt::format("sink 'fallback': {} = 'fallback' names itself", which),
                "name another sink");
  }
  return choice;
}

TrialContext context_for(const SinkChoice& choice, TrialContext context) {
  context.options = choice.options;
  return context;
}

SinkChoice started_choice(const SinkCatalog& sinks, const TrialContext& context) {
  std::string which;
  std::ifstream(choice_path(context)) >> which;
  if (which.empty()) {
    throw Error("sink 'fallback': no session has started either of its sinks",
                "start the session before provider and consumer");
  }
  return choice_of(sinks, context.options, which.c_str());
}

class FallbackSession : public WrappedSession {
 public:
  FallbackSession(const SinkCatalog& sinks, const TrialContext& context)
      : sinks_(sinks), context_(context) {}

  void start() override {
    try {
      start_sink(kFirst);
    } catch (const Error& error) {
      first_failed_ = error.what_failed();
      start_sink(kSecond);
    }
  }

  std::vector<std::pair<std::string, std::string>> granted() const override {
    auto granted = WrappedSession::granted();
    if (used_.empty()) return granted;
    granted.emplace_back("used", used_);
    if (!first_failed_.empty()) granted.emplace_back("first_failed", first_failed_);
    return granted;
  }

 private:
  void start_sink(const char* which) {
    const SinkChoice choice = choice_of(sinks_, context_.options, which);
    const Probe probe = choice.type->probe(choice.options);
    if (!probe.available) throw Error(choice.text + ": " + probe.reason, probe.remedy);
    std::unique_ptr<Session> session = choice.type->make_session(context_for(choice, context_));
    session->start();
    wrap(std::move(session));
    used_ = choice.text;
    std::ofstream(choice_path(context_)) << which;
  }

  const SinkCatalog& sinks_;
  TrialContext context_;
  std::string used_;
  std::string first_failed_;
};

class FallbackSink : public SinkType {
 public:
  explicit FallbackSink(const SinkCatalog& sinks) : sinks_(sinks) {}

  std::string name() const override { return kName; }
  std::string description() const override {
    return "one sink, or another when the first cannot be started";
  }

  OptionTable options() const override {
    return {{kFirst, OptionType::text, "etw",
             "the sink to try first; its options follow plus signs: file+mode=mmap"},
            {kSecond, OptionType::text, "eventlog", "the sink to use otherwise, in the same form"}};
  }

  // What both sinks can do, and the costs of either.
  Capabilities capabilities(const Options& options) const override {
    const SinkChoice first = choice_of(sinks_, options, kFirst);
    const SinkChoice second = choice_of(sinks_, options, kSecond);
    const Capabilities a = first.type->capabilities(first.options);
    const Capabilities b = second.type->capabilities(second.options);
    return {.read_back = a.read_back && b.read_back,
            .live_read = a.live_read && b.live_read,
            .accounts_losses = a.accounts_losses && b.accounts_losses,
            .asynchronous = a.asynchronous || b.asynchronous,
            .survives = std::min(a.survives, b.survives),
            .deferred_work = a.deferred_work || b.deferred_work,
            .may_refuse = a.may_refuse || b.may_refuse,
            .multi_threaded = a.multi_threaded && b.multi_threaded,
            .multi_process = a.multi_process && b.multi_process,
            .text_events = a.text_events || b.text_events};
  }

  Probe probe(const Options& options) const override {
    const SinkChoice first = choice_of(sinks_, options, kFirst);
    const SinkChoice second = choice_of(sinks_, options, kSecond);
    const Probe of_first = first.type->probe(first.options);
    const Probe of_second = second.type->probe(second.options);
    if (of_first.available) return of_first;
    const std::string why = fmt::format("{}: {}", first.text, of_first.reason);
    if (of_second.available) {
      return {.reason = fmt::format("{} is used: {}", second.text, why), .remedy = of_first.remedy};
    }
    return {.available = false,
            .reason = fmt::format("{}; {}: {}", why, second.text, of_second.reason),
            .remedy = of_first.remedy};
  }

  std::unique_ptr<Session> make_session(const TrialContext& context) const override {
    return std::make_unique<FallbackSession>(sinks_, context);
  }
  std::unique_ptr<Provider> open_provider(const TrialContext& context) const override {
    const SinkChoice choice = started_choice(sinks_, context);
    return choice.type->open_provider(context_for(choice, context));
  }
  std::unique_ptr<Consumer> open_consumer(const TrialContext& context) const override {
    const SinkChoice choice = started_choice(sinks_, context);
    return choice.type->open_consumer(context_for(choice, context));
  }

 private:
  const SinkCatalog& sinks_;
};

}  // namespace

std::unique_ptr<const SinkType> make_fallback_sink(const SinkCatalog& sinks) {
  return std::make_unique<FallbackSink>(sinks);
}

}  // namespace tailgate
