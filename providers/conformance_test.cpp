// What every sink must do, whatever it is. A new sink is tested by being in the registry: with its
// defaults, with each value of each choice, and those with each boolean turned over.
#include <catch2/catch.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <map>
#include <numeric>
#include <thread>

#include "harness/base/testing/test_directory.h"
#include "harness/os/clock.h"
#include "providers/testing/sinks.h"
#include "providers/testing/test_namespace.h"

namespace tailgate {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kEventsPerThread = 3000;
constexpr std::chrono::milliseconds kEmitFor = 300ms;
constexpr std::size_t kEventBytes = 128;
constexpr std::uint32_t kRun = 0xC0FFEE;

// One way to set up a sink.
struct Variant {
  const SinkType* sink;
  Options options;
  std::string text;
};

// Overlays an option; the text is what a user would write after --sink.
Variant with(Variant variant, const std::string& name, const std::string& value) {
  variant.options.set(name, value);
  variant.text += fmt::format(":{}={}", name, value);
  return variant;
}

// Every choice by itself, and with every switch turned the other way.
std::vector<Variant> variants_of(const SinkType& sink) {
  const Variant plain = {&sink, Options(sink.options(), fmt::format("sink '{}'", sink.name())),
                         sink.name()};
  std::vector<Variant> variants = {plain};
  for (const OptionSpec& spec : sink.options()) {
    for (const std::string& choice : spec.choices) {
      if (choice != spec.default_value) variants.push_back(with(plain, spec.name, choice));
    }
  }
  const std::vector<Variant> by_choice = variants;
  for (const OptionSpec& spec : sink.options()) {
    if (spec.type != OptionType::boolean) continue;
    const std::string other = plain.options.boolean(spec.name) ? "false" : "true";
    for (const Variant& variant : by_choice) variants.push_back(with(variant, spec.name, other));
  }
  return variants;
}

std::vector<Variant> all_variants() {
  std::vector<Variant> variants;
  for (const auto& sink : test_sinks().all()) {
    for (const Variant& variant : variants_of(*sink)) variants.push_back(variant);
  }
  return variants;
}

// Counts what came back. The ledger of a whole trial in small, independent of the harness's own.
class Count : public EventVisitor {
 public:
  explicit Count(EventEncoding encoding) : encoding_(encoding) {}

  void event(std::span<const std::byte> bytes) override {
    EventStamp stamp;
    if (check_event(bytes, encoding_, stamp) != EventCheck::intact || stamp.run != kRun) {
      ++corrupt;
      return;
    }
    if (!seen_.insert({{stamp.thread, stamp.sequence}, stamp}).second) ++duplicates;
  }
  void damage(std::size_t bytes) override { damaged_bytes += bytes; }

  std::size_t distinct() const { return seen_.size(); }

  std::size_t corrupt = 0;
  std::size_t duplicates = 0;
  std::size_t damaged_bytes = 0;

 private:
  EventEncoding encoding_;
  std::map<std::pair<std::uint16_t, std::uint64_t>, EventStamp> seen_;
};

std::uint64_t sum(const std::vector<Loss>& losses) {
  return std::accumulate(losses.begin(), losses.end(), std::uint64_t{0},
                         [](std::uint64_t total, const Loss& loss) { return total + loss.events; });
}

std::uint64_t all_losses(const Provider& provider, const Session& session, const Consumer& consumer,
                         std::uint64_t accepted, const Count& count) {
  const std::uint64_t in_provider = sum(provider.losses());
  const std::uint64_t missing = accepted - std::min(accepted, count.distinct() + in_provider);
  return in_provider + sum(session.losses()) + sum(consumer.losses(missing));
}

TrialContext context_for(const Variant& variant, const std::filesystem::path& directory,
                         unsigned threads) {
  const bool text = variant.sink->capabilities(variant.options).text_events;
  return {.options = variant.options,
          .directory = directory,
          .run = kRun,
          .threads = threads,
          .max_event_bytes = kEventBytes,
          .expected_bytes = threads * kEventsPerThread * kEventBytes,
          .clock = Clock(),
          .encoding = text ? EventEncoding::text : EventEncoding::binary};
}

struct Emitted {
  std::uint64_t events = 0;
  std::uint64_t accepted = 0;
};

// Emits events first … last - 1 of one thread, or fewer where the path takes its time.
Emitted emit_range(Provider& provider, const TrialContext& context, unsigned thread,
                   std::uint64_t first, std::uint64_t last) {
  std::vector<std::byte> event = prepare_event(context.encoding, kEventBytes);
  const auto deadline = std::chrono::steady_clock::now() + kEmitFor;
  Emitted emitted;
  for (std::uint64_t sequence = first; sequence < last; ++sequence) {
    if (std::chrono::steady_clock::now() > deadline) break;
    stamp_event(event.data(), context.encoding,
                {.run = kRun,
                 .thread = static_cast<std::uint16_t>(thread),
                 .size_bytes = static_cast<std::uint16_t>(event.size()),
                 .sequence = sequence,
                 .emit_ns = context.clock.now_ns()});
    ++emitted.events;
    if (provider.emit(thread, event) == kAccepted) ++emitted.accepted;
  }
  return emitted;
}

Emitted emit_from_threads(Provider& provider, const TrialContext& context) {
  std::vector<Emitted> emitted(context.threads);
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < context.threads; ++thread) {
    threads.emplace_back([&, thread] {
      emitted[thread] = emit_range(provider, context, thread, 0, kEventsPerThread);
    });
  }
  for (std::thread& thread : threads) thread.join();
  Emitted all;
  for (const Emitted& one : emitted) {
    all.events += one.events;
    all.accepted += one.accepted;
  }
  return all;
}

void read_all(Consumer& consumer, EventVisitor& visitor) {
  while (consumer.poll(visitor) > 0) {
  }
  consumer.finish(visitor);
}

// One trial in small: emitted = delivered + lost. Nothing goes wrong here, so that it holds for
// sinks that do not account their losses, too.
void check_ledger(const Variant& variant, unsigned threads) {
  const TestDirectory directory;
  const TrialContext context = context_for(variant, directory.path(), threads);
  const Capabilities can = variant.sink->capabilities(variant.options);
  const std::unique_ptr<Session> session = variant.sink->make_session(context);
  session->start();
  const EnteredNamespace inside(session->namespace_pid());
  const std::unique_ptr<Provider> provider = variant.sink->open_provider(context);
  const auto [emitted, accepted] = emit_from_threads(*provider, context);
  CHECK(accepted > 0);
  if (!can.may_refuse) CHECK(accepted == emitted);
  provider->close();
  session->stop();
  if (!can.read_back) return;

  Count count(context.encoding);
  const std::unique_ptr<Consumer> consumer = variant.sink->open_consumer(context);
  read_all(*consumer, count);
  const std::uint64_t lost = all_losses(*provider, *session, *consumer, accepted, count);
  CHECK(count.corrupt == 0);
  CHECK(count.duplicates == 0);
  CHECK(count.damaged_bytes == 0);
  if (can.switched_off) {
    CHECK(count.distinct() + lost == 0);
  } else {
    CHECK(count.distinct() + lost == accepted);
  }
}

void check_closing(const Variant& variant) {
  const TestDirectory directory;
  const TrialContext context = context_for(variant, directory.path(), 1);
  const std::unique_ptr<Session> session = variant.sink->make_session(context);
  session->start();
  const EnteredNamespace inside(session->namespace_pid());
  const std::unique_ptr<Provider> provider = variant.sink->open_provider(context);
  const std::vector<std::string> causes = provider->refusal_causes();
  CHECK_FALSE(causes.empty());
  CHECK(causes.size() <= Provider::kMaxRefusalCauses);
  CHECK(std::none_of(causes.begin(), causes.end(), [](const auto& text) { return text.empty(); }));
  CHECK(emit_range(*provider, context, 0, 0, 10).accepted > 0);
  provider->close();
  CHECK(emit_range(*provider, context, 0, 10, 20).accepted == 0);
  CHECK_NOTHROW(provider->close());
  session->stop();
  CHECK_NOTHROW(session->stop());
}

// Some path is seen through while it is still open, be it late: a buffer may have to fill first.
void check_live_reading(const Variant& variant) {
  const TestDirectory directory;
  const TrialContext context = context_for(variant, directory.path(), 1);
  const std::unique_ptr<Session> session = variant.sink->make_session(context);
  session->start();
  const EnteredNamespace inside(session->namespace_pid());
  const std::unique_ptr<Consumer> consumer = variant.sink->open_consumer(context);
  const std::unique_ptr<Provider> provider = variant.sink->open_provider(context);
  Count count(context.encoding);
  const auto give_up = std::chrono::steady_clock::now() + 20s;
  std::uint64_t accepted = 0;
  std::uint64_t next = 0;
  while (count.distinct() == 0 && std::chrono::steady_clock::now() < give_up) {
    const Emitted emitted = emit_range(*provider, context, 0, next, next + 100);
    accepted += emitted.accepted;
    next += emitted.events;
    consumer->poll(count);
    if (next > kEventsPerThread / 2) std::this_thread::sleep_for(1ms);
  }
  CHECK(count.distinct() > 0);
  provider->close();
  session->stop();
  read_all(*consumer, count);
  const std::uint64_t lost = all_losses(*provider, *session, *consumer, accepted, count);
  CHECK(count.corrupt + count.duplicates + count.damaged_bytes == 0);
  CHECK(count.distinct() + lost == accepted);
}

// A library that the provider loads reads its environment once, when the process begins.
bool needs_own_process(const Variant& variant) {
  const TrialContext context = context_for(variant, "/nonexistent/tailgate", 1);
  return !variant.sink->make_session(context)->environment().empty();
}

bool ends_in_a_unit(const std::string& name) {
  const std::vector<std::string> endings = {"_ns",     "_us",    "_ms",     "_s",     "_bytes",
                                            "_hz",     "_share", "_ratio",  "_every", "_at",
                                            "_events", "_count", "_percent"};
  const std::vector<std::string> without_dimension = {"keyword", "seed", "sigma"};
  return std::any_of(endings.begin(), endings.end(),
                     [&](const std::string& ending) { return name.ends_with(ending); }) ||
         std::count(without_dimension.begin(), without_dimension.end(), name) > 0;
}

TEST_CASE("every sink's name and options table are in the house's form") {
  for (const auto& sink : test_sinks().all()) {
    INFO("sink " << sink->name());
    CHECK_FALSE(sink->name().empty());
    CHECK(sink->name().find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") ==
          std::string::npos);
    CHECK_FALSE(sink->description().empty());
    CHECK_FALSE(sink->description().ends_with('.'));
    CHECK_NOTHROW(Options(sink->options(), sink->name()));  // defaults are valid
    for (const OptionSpec& spec : sink->options()) {
      INFO("option " << spec.name);
      CHECK(spec.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") ==
            std::string::npos);
      CHECK_FALSE(spec.help.empty());
      CHECK_FALSE(spec.help.ends_with('.'));
      CHECK(spec.choices.empty() == (spec.type != OptionType::choice));
      const bool number = spec.type == OptionType::integer || spec.type == OptionType::real;
      CHECK((!number || ends_in_a_unit(spec.name)));
    }
  }
}

TEST_CASE("a probe says why a sink is not available, and what to do") {
  for (const Variant& variant : all_variants()) {
    INFO(variant.text);
    const Probe probe = variant.sink->probe(variant.options);
    if (!probe.available) CHECK_FALSE(probe.reason.empty());
    if (!probe.reason.empty()) CHECK_FALSE(probe.remedy.empty());
  }
}

TEST_CASE("what cannot be opened is an error that names the value and a remedy") {
  // Below a regular file nothing can be made, not even by root.
  const TestDirectory directory;
  const std::filesystem::path impossible = directory.path() / "file" / "tailgate";
  { std::ofstream(directory.path() / "file") << "a regular file"; }
  for (const Variant& variant : all_variants()) {
    if (!variant.sink->probe(variant.options).available) continue;
    if (!variant.sink->capabilities(variant.options).read_back) continue;
    const TrialContext context = context_for(variant, impossible, 1);
    INFO(variant.text);
    try {
      const std::unique_ptr<Session> session = variant.sink->make_session(context);
      session->start();
      const EnteredNamespace inside(session->namespace_pid());
      const auto consumer = variant.sink->open_consumer(context);
      session->stop();  // a sink that keeps nothing in the trial's directory
    } catch (const Error& error) {
      CHECK(error.what_failed().find(impossible.string()) != std::string::npos);
      CHECK_FALSE(error.remedy().empty());
    }
  }
}

TEST_CASE("every sink keeps the contract in every mode") {
  for (const Variant& variant : all_variants()) {
    const Probe probe = variant.sink->probe(variant.options);
    if (!probe.available) {
      WARN("skipped " << variant.text << ": " << probe.reason << "; " << probe.remedy);
      continue;
    }
    if (needs_own_process(variant)) {
      WARN("skipped " << variant.text << ": its provider needs a process with an environment of "
                      << "its own; the sink's own tests run whole trials instead");
      continue;
    }
    INFO(variant.text);
    const Capabilities can = variant.sink->capabilities(variant.options);
    check_ledger(variant, 1);
    if (can.multi_threaded) check_ledger(variant, 2);
    check_closing(variant);
    if (can.live_read) check_live_reading(variant);
  }
}

}  // namespace
}  // namespace tailgate
