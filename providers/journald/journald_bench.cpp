// Compares three readers of the same journal: the consumer, libsystemd alone, and journalctl. The
// time of journalctl includes the start of its process, about 10 ms.
#include <benchmark/benchmark.h>
#include <systemd/sd-journal.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "harness/base/error.h"
#include "harness/trial/scratch.h"
#include "providers/journald/places.h"
#include "providers/testing/sinks.h"
#include "providers/testing/test_namespace.h"

namespace tailgate {
namespace {

constexpr std::uint64_t kEvents = 5'000;
constexpr std::size_t kEventBytes = 128;

// A journal with kEvents events, written once; this process stays in its private view.
class Journal {
 public:
  static const Journal& instance() {
    static const Journal journal;
    return journal;
  }

  const TrialContext& context() const { return context_; }
  std::filesystem::path directory() const { return journald::journal_directory(context_.options); }
  const SinkType& sink() const { return *choice_.type; }

 private:
  Journal()
      : scratch_({}, false),
        choice_(sink_choice("journald")),
        context_{.options = choice_.options,
                 .directory = scratch_.path(),
                 .run = 1,
                 .max_event_bytes = kEventBytes,
                 .expected_bytes = kEvents * kEventBytes,
                 .encoding = EventEncoding::text},
        session_(choice_.type->make_session(context_)) {
    session_->start();
    inside_ = std::make_unique<EnteredNamespace>(session_->namespace_pid());
    emit();
    session_->stop();
  }

  void emit() {
    const std::unique_ptr<Provider> provider = choice_.type->open_provider(context_);
    std::vector<std::byte> event = prepare_event(context_.encoding, kEventBytes);
    for (std::uint64_t i = 0; i < kEvents; ++i) {
      stamp_event(event.data(), context_.encoding,
                  {.run = 1, .thread = 0, .size_bytes = kEventBytes, .sequence = i, .emit_ns = i});
      provider->emit(0, event);
    }
    provider->close();
  }

  Scratch scratch_;
  SinkChoice choice_;
  TrialContext context_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<EnteredNamespace> inside_;
};

class Count : public EventVisitor {
 public:
  void event(std::span<const std::byte>) override { ++events; }
  void damage(std::size_t) override {}
  std::uint64_t events = 0;
};

// Returns the journal; or null, after it has put the reason into the benchmark's output.
const Journal* journal_for(benchmark::State& state) {
  try {
    const SinkChoice choice = sink_choice("journald");
    const Probe probe = choice.type->probe(choice.options);
    if (!probe.available) throw Error(probe.reason, probe.remedy);
    return &Journal::instance();
  } catch (const Error& error) {
    state.SkipWithError(error.what());
    return nullptr;
  }
}

void count_items(benchmark::State& state) {
  state.SetItemsProcessed(static_cast<std::int64_t>(kEvents) *
                          static_cast<std::int64_t>(state.iterations()));
}

void read_by_consumer(benchmark::State& state) {
  const Journal* journal = journal_for(state);
  if (journal == nullptr) return;
  for (auto _ : state) {
    const std::unique_ptr<Consumer> consumer = journal->sink().open_consumer(journal->context());
    Count count;
    while (consumer->poll(count) > 0) {
    }
    if (count.events != kEvents) state.SkipWithError("events are missing");
  }
  count_items(state);
}
BENCHMARK(read_by_consumer)->UseRealTime()->Unit(benchmark::kMillisecond);

void read_by_libsystemd(benchmark::State& state) {
  const Journal* journal = journal_for(state);
  if (journal == nullptr) return;
  for (auto _ : state) {
    sd_journal* handle = nullptr;
    if (sd_journal_open_directory(&handle, journal->directory().c_str(), 0) < 0) {
      state.SkipWithError("sd_journal_open_directory");
      break;
    }
    std::uint64_t bytes = 0;
    while (sd_journal_next(handle) > 0) {
      const void* data = nullptr;
      std::size_t size = 0;
      if (sd_journal_get_data(handle, "MESSAGE", &data, &size) == 0) bytes += size;
    }
    benchmark::DoNotOptimize(bytes);
    sd_journal_close(handle);
  }
  count_items(state);
}
BENCHMARK(read_by_libsystemd)->UseRealTime()->Unit(benchmark::kMillisecond);

void read_by_journalctl(benchmark::State& state) {
  const Journal* journal = journal_for(state);
  if (journal == nullptr) return;
  const std::string command =
      "journalctl --quiet --no-pager --output=cat --directory=" + journal->directory().string() +
      " >/dev/null";
  for (auto _ : state) {
    if (std::system(command.c_str()) != 0) state.SkipWithError("journalctl failed");
  }
  count_items(state);
}
BENCHMARK(read_by_journalctl)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tailgate
