// Sink "tee": writes every event to several sinks at once, as a program does that logs to two paths
// side by side.

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "harness/base/error.h"
#include "harness/sink/catalog.h"

namespace tailgate {
namespace {

constexpr const char* kTee = "tee";
constexpr const char* kSinkOptions[] = {"first", "second", "third", "fourth"};

// The sinks that the options name. Their options follow plus signs, as in "file+mode=mmap": a colon
// would end the tee's own option.
std::vector<SinkChoice> choices_of(const SinkCatalog& sinks, const Options& options) {
  std::vector<SinkChoice> choices;
  for (const char* option : kSinkOptions) {
    std::string text = options.text(option);
    if (text.empty()) continue;
    std::replace(text.begin(), text.end(), '+', ':');
    choices.push_back(sinks.choice(text));
    if (choices.back().type->name() == kTee) {
      throw Error(fmt::format("sink 'tee': {} = 'tee' names itself", option), "name another sink");
    }
  }
  if (choices.empty()) throw Error("sink 'tee' has no sink to write to", "set first and second");
  return choices;
}

// Each sink has a folder of its own, so that two may be of one kind.
TrialContext context_for(const SinkChoice& choice, TrialContext context, std::size_t number) {
  context.options = choice.options;
  context.directory /= std::to_string(number);
  return context;
}

void make_folder(const std::filesystem::path& path) {
  std::error_code failure;
  std::filesystem::create_directories(path, failure);
  if (!failure) return;
  throw system_error("create", path.string(), failure.value(),
                     "choose a trial directory that can be written to");
}

// Calls `step` with each number below `count`, also after one of them threw; then throws what the
// first one threw.
void do_all(std::size_t count, const std::function<void(std::size_t)>& step) {
  std::exception_ptr first;
  for (std::size_t number = 0; number < count; ++number) {
    try {
      step(number);
    } catch (...) {
      if (!first) first = std::current_exception();
    }
  }
  if (first) std::rethrow_exception(first);
}

// What sinks lost, of session and providers, for the consumer: it alone knows how many events are
// not in all of the sinks, and two sinks may have lost the same one.
class LossFile {
 public:
  LossFile(const TrialContext& context, const char* role)
      : path_(context.directory / fmt::format("tee.{}", role)) {}

  void write(const std::vector<SinkChoice>& choices,
             const std::function<std::vector<Loss>(std::size_t)>& losses_of) const {
    std::ofstream out(path_, std::ios::trunc);
    for (std::size_t number = 0; number < choices.size(); ++number) {
      for (const Loss& loss : losses_of(number)) {
        if (loss.events == 0) continue;
        out << loss.events << ' ' << choices[number].type->name() << ": " << loss.cause << '\n';
      }
    }
  }

  std::vector<Loss> read() const {
    std::vector<Loss> losses;
    std::ifstream in(path_);
    Loss loss;
    while (in >> loss.events && in.get() && std::getline(in, loss.cause)) losses.push_back(loss);
    return losses;
  }

 private:
  std::filesystem::path path_;
};

class TeeSession : public Session {
 public:
  TeeSession(const SinkCatalog& sinks, const TrialContext& context)
      : context_(context), choices_(choices_of(sinks, context.options)) {}

  void start() override {
    try {
      for (std::size_t number = 0; number < choices_.size(); ++number) start(number);
    } catch (...) {
      for (const auto& session : sessions_) stop_silently(*session);
      throw;
    }
  }

  std::vector<std::pair<std::string, std::string>> granted() const override {
    std::vector<std::pair<std::string, std::string>> all;
    for (std::size_t number = 0; number < sessions_.size(); ++number) {
      for (auto& [name, value] : sessions_[number]->granted()) {
        all.emplace_back(fmt::format("{}.{}", kSinkOptions[number], name), std::move(value));
      }
    }
    return all;
  }
  std::vector<DaemonProcess> daemons() const override {
    return of_all<DaemonProcess>([](const Session& session) { return session.daemons(); });
  }
  std::vector<std::pair<std::string, std::string>> environment() const override {
    return of_all<std::pair<std::string, std::string>>(
        [](const Session& session) { return session.environment(); });
  }
  // The innermost one, which shows what all of the others show.
  int namespace_pid() const override {
    int pid = 0;
    for (const auto& session : sessions_) {
      if (session->namespace_pid() != 0) pid = session->namespace_pid();
    }
    return pid;
  }
  // All that can; if one cannot, it says so.
  void rotate() override {
    do_all(sessions_.size(), [this](std::size_t number) { sessions_[number]->rotate(); });
  }
  std::vector<std::uint64_t> daemons_cpu_in_stop_ns() const override { return cpu_in_stop_ns_; }

  void stop() override {
    if (std::exchange(stopped_, true)) return;
    do_all(sessions_.size(), [this](std::size_t number) { stop(*sessions_[number]); });
  }

 private:
  template <class T, class Get>
  std::vector<T> of_all(const Get& get) const {
    std::vector<T> all;
    for (const auto& session : sessions_) {
      for (auto& one : get(*session)) all.push_back(std::move(one));
    }
    return all;
  }

  // A process is in one mount namespace only, so each session makes its own within that of the
  // session before it.
  void start(std::size_t number) {
    TrialContext context = context_for(choices_[number], context_, number);
    context.inside_pid = namespace_pid();
    make_folder(context.directory);
    sessions_.push_back(choices_[number].type->make_session(context));
    sessions_.back()->start();
  }

  // Also if it fails, the file has what this session and those before it lost.
  void stop(Session& session) {
    const std::size_t daemons = session.daemons().size();
    std::exception_ptr failure;
    try {
      session.stop();
    } catch (...) {
      failure = std::current_exception();
    }
    std::vector<std::uint64_t> cpu_ns = session.daemons_cpu_in_stop_ns();
    cpu_ns.resize(daemons);
    cpu_in_stop_ns_.insert(cpu_in_stop_ns_.end(), cpu_ns.begin(), cpu_ns.end());
    LossFile(context_, "session").write(choices_, [this](std::size_t number) {
      return sessions_[number]->losses();
    });
    if (failure) std::rethrow_exception(failure);
  }

  static void stop_silently(Session& session) {
    try {
      session.stop();
    } catch (const Error&) {
      // What start() threw says more.
    }
  }

  TrialContext context_;
  std::vector<SinkChoice> choices_;
  std::vector<std::unique_ptr<Session>> sessions_;
  std::vector<std::uint64_t> cpu_in_stop_ns_;
  bool stopped_ = false;
};

class TeeProvider : public Provider {
 public:
  TeeProvider(const SinkCatalog& sinks, const TrialContext& context)
      : context_(context), choices_(choices_of(sinks, context.options)) {
    for (std::size_t number = 0; number < choices_.size(); ++number) {
      providers_.push_back(
          choices_[number].type->open_provider(context_for(choices_[number], context, number)));
      add_causes(choices_[number].type->name(), providers_.back()->refusal_causes());
    }
  }

  void warm_up(unsigned thread) override {
    for (const auto& provider : providers_) provider->warm_up(thread);
  }

  // Refused by one sink, the event still goes to the others.
  EmitStatus emit(unsigned thread, std::span<const std::byte> event) noexcept override {
    EmitStatus refused = kAccepted;
    for (std::size_t number = 0; number < providers_.size(); ++number) {
      const EmitStatus status = providers_[number]->emit(thread, event);
      if (status == kAccepted || refused != kAccepted) continue;
      const Causes& causes = of_sinks_[number];
      refused = static_cast<EmitStatus>(causes.first + std::min<std::size_t>(status, causes.count));
    }
    return refused;
  }

  std::vector<std::string> refusal_causes() const override { return causes_; }

  void close() override {
    do_all(providers_.size(), [this](std::size_t number) { providers_[number]->close(); });
    LossFile(context_, "provider").write(choices_, [this](std::size_t number) {
      return providers_[number]->losses();
    });
  }

 private:
  // Those of a sink in causes_; the last one may stand for several.
  struct Causes {
    std::size_t first = 0;
    std::size_t count = 0;
  };

  // Each sink has the same share of the causes that there may be.
  void add_causes(const std::string& sink, const std::vector<std::string>& causes) {
    const std::size_t room = kMaxRefusalCauses / choices_.size();
    const Causes of_sink{causes_.size(), std::min(causes.size(), room)};
    for (std::size_t i = 0; i < of_sink.count; ++i) {
      const bool several = i + 1 == room && causes.size() > room;
      causes_.push_back(fmt::format("{}: {}", sink, several ? "other" : causes[i]));
    }
    of_sinks_.push_back(of_sink);
  }

  TrialContext context_;
  std::vector<SinkChoice> choices_;
  std::vector<std::unique_ptr<Provider>> providers_;
  std::vector<Causes> of_sinks_;
  std::vector<std::string> causes_;
};

// Hands an event over once every sink has delivered it.
class Merger {
 public:
  Merger(std::size_t sinks, const TrialContext& context)
      : sinks_(sinks),
        run_(context.run),
        encoding_(context.encoding),
        delivered_(context.threads) {}

  void add(std::size_t number, std::span<const std::byte> bytes, EventVisitor& to) {
    EventStamp stamp;
    std::uint8_t* const by = delivered_by(bytes, stamp);
    if (by == nullptr) return to.event(bytes);
    const auto bit = static_cast<std::uint8_t>(1u << number);
    const bool again = (*by & bit) != 0;
    // After all have it, a further one is a duplicate as of any sink.
    if (again && is_whole(*by)) return to.event(bytes);
    Waiting& waiting = waiting_[{stamp.thread, stamp.sequence}];
    const std::size_t hash =
        std::hash<std::string_view>{}({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    waiting.differs = waiting.differs || (*by != 0 && waiting.hash != hash);
    waiting.hash = hash;
    waiting.again += again ? 1 : 0;
    *by = static_cast<std::uint8_t>(*by | bit);
    if (is_whole(*by)) hand_over(stamp, bytes, to);
  }

 private:
  struct Waiting {
    std::size_t hash = 0;
    unsigned again = 0;  // how often a sink has delivered it once more
    bool differs = false;
  };

  // No sink loses so many events in a row; a higher number is none of this trial's.
  static constexpr std::uint64_t kMostMissing = 1 << 26;

  // A bit for each sink that has delivered the event; nothing if it is no event of this trial.
  std::uint8_t* delivered_by(std::span<const std::byte> bytes, EventStamp& stamp) {
    const EventCheck check = check_event(bytes, encoding_, stamp);
    const bool has_stamp = check == EventCheck::intact || check == EventCheck::bad_body ||
                           check == EventCheck::wrong_size;
    if (!has_stamp || stamp.run != run_ || stamp.thread >= delivered_.size()) return nullptr;
    std::vector<std::uint8_t>& of_thread = delivered_[stamp.thread];
    if (stamp.sequence >= of_thread.size()) {
      if (stamp.sequence - of_thread.size() > kMostMissing) return nullptr;
      of_thread.resize(std::max<std::size_t>(stamp.sequence + 1, 2 * of_thread.size()));
    }
    return &of_thread[stamp.sequence];
  }

  bool is_whole(std::uint8_t by) const { return by + 1u == 1u << sinks_; }

  void hand_over(const EventStamp& stamp, std::span<const std::byte> bytes, EventVisitor& to) {
    const auto waiting = waiting_.extract({stamp.thread, stamp.sequence}).mapped();
    // Which of them is right is not known here.
    if (waiting.differs) return to.damage(bytes.size());
    for (unsigned time = 0; time <= waiting.again; ++time) to.event(bytes);
  }

  std::size_t sinks_;
  std::uint32_t run_;
  EventEncoding encoding_;
  std::vector<std::vector<std::uint8_t>> delivered_;  // by thread and number
  std::map<std::pair<std::uint16_t, std::uint64_t>, Waiting> waiting_;
};

class TeeConsumer : public Consumer {
 public:
  TeeConsumer(const SinkCatalog& sinks, const TrialContext& context)
      : context_(context),
        choices_(choices_of(sinks, context.options)),
        merger_(choices_.size(), context) {
    consumers_.resize(choices_.size());
    for (std::size_t number = 0; number < choices_.size(); ++number) {
      guarded(number, [&] {
        consumers_[number] =
            choices_[number].type->open_consumer(context_for(choices_[number], context, number));
      });
    }
  }

  std::size_t poll(EventVisitor& visitor) override {
    std::size_t events = 0;
    for (std::size_t number = 0; number < consumers_.size(); ++number) {
      guarded(number, [&] {
        Copies copies(number, merger_, visitor);
        if (consumers_[number]) events += consumers_[number]->poll(copies);
      });
    }
    return events;
  }

  // Throws Error if a sink could not be read; the others are read to the end before.
  void finish(EventVisitor& visitor) override {
    for (std::size_t number = 0; number < consumers_.size(); ++number) {
      guarded(number, [&] {
        Copies copies(number, merger_, visitor);
        if (consumers_[number]) consumers_[number]->finish(copies);
      });
    }
    if (failure_) throw Error(*failure_, "run the other sinks without it");
  }

  std::vector<Loss> losses(std::uint64_t missing) const override {
    std::vector<Loss> all = LossFile(context_, "provider").read();
    for (Loss& loss : LossFile(context_, "session").read()) all.push_back(std::move(loss));
    for (std::size_t number = 0; number < consumers_.size(); ++number) {
      if (!consumers_[number]) continue;
      for (const Loss& loss : consumers_[number]->losses(missing)) {
        const std::string& name = choices_[number].type->name();
        all.push_back({fmt::format("{}: {}", name, loss.cause), loss.events});
      }
    }
    // Of an event that several sinks lost, one account says why it is missing.
    for (Loss& loss : all) {
      loss.events = std::min(loss.events, missing);
      missing -= loss.events;
    }
    return all;
  }

 private:
  class Copies : public EventVisitor {
   public:
    Copies(std::size_t number, Merger& merger, EventVisitor& to)
        : number_(number), merger_(merger), to_(to) {}
    void event(std::span<const std::byte> bytes) override {
      to_.copy(number_, bytes);
      merger_.add(number_, bytes, to_);
    }
    void damage(std::size_t bytes) override { to_.damage(bytes); }

   private:
    std::size_t number_;
    Merger& merger_;
    EventVisitor& to_;
  };

  // A sink that cannot be read hides no other: it is left, and finish() says so.
  void guarded(std::size_t number, const std::function<void()>& step) {
    try {
      step();
    } catch (const Error& error) {
      consumers_[number].reset();
      if (!failure_) {
        failure_ = fmt::format("sink '{}': {}", choices_[number].text, error.what_failed());
      }
    }
  }

  TrialContext context_;
  std::vector<SinkChoice> choices_;
  Merger merger_;
  std::vector<std::unique_ptr<Consumer>> consumers_;  // nothing where reading failed
  std::optional<std::string> failure_;
};

std::size_t smaller_limit(std::size_t a, std::size_t b) {
  return a == 0 ? b : b == 0 ? a : std::min(a, b);
}

class TeeSink : public SinkType {
 public:
  explicit TeeSink(const SinkCatalog& sinks) : sinks_(sinks) {}

  std::string name() const override { return kTee; }
  std::string description() const override { return "several sinks at once, each event in all"; }

  OptionTable options() const override {
    return {{kSinkOptions[0], OptionType::text, "file",
             "a sink to write to; its options follow plus signs: file+mode=mmap"},
            {kSinkOptions[1], OptionType::text, "spdlog", "another, in the same form"},
            {kSinkOptions[2], OptionType::text, "", "a third; empty: none"},
            {kSinkOptions[3], OptionType::text, "", "a fourth; empty: none"}};
  }

  // What all of them can do, and the costs of each.
  Capabilities capabilities(const Options& options) const override {
    std::optional<Capabilities> all;
    for (const SinkChoice& choice : choices_of(sinks_, options)) {
      const Capabilities one = choice.type->capabilities(choice.options);
      all = all ? both(*all, one) : one;
    }
    return *all;
  }

  std::vector<std::string> copies(const Options& options) const override {
    std::vector<std::string> names;
    for (const SinkChoice& choice : choices_of(sinks_, options)) names.push_back(choice.text);
    return names;
  }

  Probe probe(const Options& options) const override {
    for (const SinkChoice& choice : choices_of(sinks_, options)) {
      const Probe probe = choice.type->probe(choice.options);
      if (!probe.available) {
        return {.available = false,
                .reason = fmt::format("{}: {}", choice.text, probe.reason),
                .remedy = probe.remedy};
      }
      const std::string language = choice.type->capabilities(choice.options).driver_language;
      if (language.empty()) continue;
      return {.available = false,
              .reason = fmt::format("a program in {} makes the calls of {}", language, choice.text),
              .remedy = "name sinks that tailgate calls itself"};
    }
    return {};
  }

  std::unique_ptr<Session> make_session(const TrialContext& context) const override {
    return std::make_unique<TeeSession>(sinks_, context);
  }
  std::unique_ptr<Provider> open_provider(const TrialContext& context) const override {
    return std::make_unique<TeeProvider>(sinks_, context);
  }
  std::unique_ptr<Consumer> open_consumer(const TrialContext& context) const override {
    return std::make_unique<TeeConsumer>(sinks_, context);
  }

 private:
  static Capabilities both(const Capabilities& a, const Capabilities& b) {
    return {.read_back = a.read_back && b.read_back,
            .live_read = a.live_read && b.live_read,
            .accounts_losses = a.accounts_losses && b.accounts_losses,
            .asynchronous = a.asynchronous || b.asynchronous,
            .survives = std::min(a.survives, b.survives),
            .deferred_work = a.deferred_work || b.deferred_work,
            .may_refuse = a.may_refuse || b.may_refuse,
            .multi_threaded = a.multi_threaded && b.multi_threaded,
            .text_events = a.text_events || b.text_events,
            .largest_event_bytes = smaller_limit(a.largest_event_bytes, b.largest_event_bytes)};
  }

  const SinkCatalog& sinks_;
};

}  // namespace

std::unique_ptr<const SinkType> make_tee_sink(const SinkCatalog& sinks) {
  return std::make_unique<TeeSink>(sinks);
}

}  // namespace tailgate
