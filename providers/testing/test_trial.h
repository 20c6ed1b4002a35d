// A trial in one process, for the tests of single sinks: session, provider and consumer in turn.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/testing/test_directory.h"
#include "harness/sink/testing/test_events.h"
#include "providers/testing/sinks.h"

namespace tailgate {

class TestTrial {
 public:
  // choice as after --sink: "file:mode=mmap".
  explicit TestTrial(const std::string& choice, unsigned threads = 1,
                     std::uint64_t expected_events = 10000, std::size_t event_bytes = 128)
      : chosen_(sink_choice(choice)) {
    const bool text = chosen_.type->capabilities(chosen_.options).text_events;
    context_ = std::make_unique<TrialContext>(
        TrialContext{.options = chosen_.options,
                     .directory = directory_.path(),
                     .run = 1,
                     .threads = threads,
                     .max_event_bytes = event_bytes,
                     .expected_bytes = expected_events * event_bytes,
                     .encoding = text ? EventEncoding::text : EventEncoding::binary});
    session_ = chosen_.type->make_session(*context_);
    session_->start();
    event_ = prepare_event(context_->encoding, event_bytes);
  }

  void open() { provider_ = chosen_.type->open_provider(*context_); }

  // Emits the thread's next event; returns the cause of a refusal, or "".
  std::string emit(unsigned thread = 0) {
    const EmitStatus status = emit_next(thread);
    return status == kAccepted ? "" : provider_->refusal_causes().at(status - 1u);
  }
  EmitStatus emit_next(unsigned thread) {
    stamp_event(event_.data(), context_->encoding,
                {.run = 1,
                 .thread = static_cast<std::uint16_t>(thread),
                 .size_bytes = static_cast<std::uint16_t>(event_.size()),
                 .sequence = next_[thread]++,
                 .emit_ns = context_->clock.now_ns()});
    return provider_->emit(thread, event_);
  }

  // Reads all that is there.
  Record read_back() {
    Record record(context_->encoding);
    const std::unique_ptr<Consumer> consumer = chosen_.type->open_consumer(*context_);
    while (consumer->poll(record) > 0) {
    }
    consumer->finish(record);
    return record;
  }

  // Events that the provider reports lost, whatever the cause.
  std::uint64_t lost() const {
    std::uint64_t events = 0;
    for (const Loss& loss : provider_->losses()) events += loss.events;
    return events;
  }

  Provider& provider() { return *provider_; }
  Session& session() { return *session_; }
  void end_session() { session_.reset(); }
  const TrialContext& context() const { return *context_; }
  const TestDirectory& directory() const { return directory_; }

 private:
  TestDirectory directory_;
  SinkChoice chosen_;
  std::unique_ptr<TrialContext> context_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<Provider> provider_;
  std::vector<std::byte> event_;
  std::map<unsigned, std::uint64_t> next_;
};

}  // namespace tailgate
