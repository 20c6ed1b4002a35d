// Reads the events from the trace that LTTng's daemons wrote.
#pragma once

#include <filesystem>
#include <vector>

#include "harness/sink/sink.h"
#include "providers/lttng/ctf_trace.h"

namespace tailgate::lttng_detail {

// The folder in the trial's directory into which the daemons write the trace of that session, of
// several the first one with the number 0.
std::filesystem::path trace_folder(const TrialContext& context, unsigned session);

// An empty file that the session writes when its daemons have delivered all that was in the
// buffers. Without it the trace may be cut short.
std::filesystem::path completion_mark(const std::filesystem::path& trial_directory);

class TraceConsumer : public Consumer {
 public:
  // Throws Error when the folder does not exist. overwrites: the oldest sub-buffers are
  // overwritten, so the packets tell what was lost; else the session tells.
  TraceConsumer(const TrialContext& context, unsigned session, bool overwrites);

  std::size_t poll(EventVisitor& visitor) override;
  void finish(EventVisitor& visitor) override;

  // LTTng counts discarded events, but only packets that were overwritten. A missing event was
  // overwritten, in the buffers or in the files, if LTTng did not discard it, the trace is complete
  // and undamaged, and the missing packets have room for it.
  std::vector<Loss> losses(std::uint64_t missing) const override;

 private:
  class Forward;

  CtfTraceReader reader_;
  bool overwrites_;  // the oldest sub-buffers: the packets tell what was lost, else the session
  bool wraps_;       // the oldest files: the packets tell what was in them
  std::size_t packet_bytes_;
  std::filesystem::path completion_mark_;
  bool damaged_ = false;
};

}  // namespace tailgate::lttng_detail
