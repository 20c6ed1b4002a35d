// Reads the events back from the trace that the daemons wrote.
#pragma once

#include <vector>

#include "providers/lttng/ctf_trace.h"
#include "providers/sink.h"

namespace tailgate::lttng_detail {

class TraceConsumer : public Consumer {
 public:
  // Throws Error when the folder does not exist. count_gaps: the buffers are overwritten when full,
  // which LTTng counts in packets only; the events missing before the last one seen of each thread
  // are then counted here, by their sequence numbers.
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
