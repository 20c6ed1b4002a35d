// Reads the events from the trace that LTTng's daemons wrote.
#pragma once

#include <filesystem>
#include <vector>

#include "harness/sink/sink.h"
#include "providers/lttng/ctf_trace.h"

namespace tailgate::lttng_detail {

// The folder in the trial's directory into which the session's daemons write the trace.
std::filesystem::path trace_folder(const TrialContext& context);

class TraceConsumer : public Consumer {
 public:
  // Throws Error when the folder does not exist. count_gaps: set it for buffers that overwrite.
  // LTTng counts that loss in packets only, so the consumer counts events itself: the missing
  // sequence numbers before the last event that it saw of each thread.
  TraceConsumer(const TrialContext& context, bool count_gaps);

  std::size_t poll(EventVisitor& visitor) override;
  void finish(EventVisitor& visitor) override;
  std::vector<Loss> losses() const override;

 private:
  struct Thread {
    std::uint64_t seen = 0;
    std::uint64_t next = 0;  // highest number seen + 1
  };

  void count(std::span<const std::byte> event);

  CtfTraceReader reader_;
  bool count_gaps_;
  std::uint32_t run_;
  EventEncoding encoding_;
  std::vector<Thread> threads_;

  class Forward;
};

}  // namespace tailgate::lttng_detail
