// The session of a sink that writes to a trace instance of the kernel.
#pragma once

#include <memory>
#include <vector>

#include "harness/sink/sink.h"
#include "harness/tracefs/instance.h"

namespace tailgate::tracefs {

// What becomes of an event when the buffer is full and overwrite is off.
enum class WhenFull : std::uint8_t {
  refused,  // the write fails, so the event was never accepted
  lost,     // the write succeeds, so the session counts a loss
};

// With as many instances as the trial has sessions; all figures are of the first. Each keeps its
// name in its session's directory.
class TraceSession : public Session {
 public:
  // Uses the options buffer_bytes and overwrite.
  TraceSession(const TrialContext& context, WhenFull when_full);

  void start() override;
  std::vector<std::pair<std::string, std::string>> granted() const override;
  void listen(bool on, SwitchWay way) override;
  void listen_as_rival(bool on, SwitchWay way) override;
  void stop() override;
  std::vector<Loss> losses() const override { return losses_; }

 protected:
  // By the sink's options, on the trial's clock.
  static InstanceOptions instance_options(const TrialContext& context);
  // Valid after start().
  const Instance& instance() const { return *instance_; }

 private:
  TrialContext context_;
  WhenFull when_full_;
  std::unique_ptr<Instance> instance_;
  std::vector<std::unique_ptr<Instance>> further_;
  bool stopped_ = false;
  std::vector<Loss> losses_;
};

}  // namespace tailgate::tracefs
