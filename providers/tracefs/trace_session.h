// The session of a sink whose events go into a trace instance.
#pragma once

#include <memory>

#include "harness/tracefs/instance.h"
#include "providers/sink.h"

namespace tailgate::tracefs {

// What happens to an event that finds the buffer full while overwrite is off.
enum class WhenFull : std::uint8_t {
  refused,  // the write fails: not the session's loss
  lost,     // the write succeeds
};

class TraceSession : public Session {
 public:
  // Takes the options buffer_bytes and overwrite.
  TraceSession(const TrialContext& context, WhenFull when_full);

  void start() override;
  std::vector<std::pair<std::string, std::string>> granted() const override;
  void stop() override;
  std::vector<Loss> losses() const override { return losses_; }

 protected:
  // Valid after start().
  const Instance& instance() const { return *instance_; }

 private:
  TrialContext context_;
  WhenFull when_full_;
  std::unique_ptr<Instance> instance_;
  bool stopped_ = false;
  std::vector<Loss> losses_;
};

}  // namespace tailgate::tracefs
