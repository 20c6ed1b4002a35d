// The trace of a machine on which nothing can be traced.
#pragma once

#include <string>
#include <utility>

#include "harness/activity/trace.h"

namespace tailgate::activity {

// Every call's time is untraced, and the result says why.
class NoTrace : public Trace {
 public:
  explicit NoTrace(std::string why) : why_(std::move(why)) {}
  void stop() override {}
  TraceUsed read(Timeline&) override {
    TraceUsed used;
    used.method = "none";
    used.limits = why_;
    return used;
  }

 private:
  std::string why_;
};

}  // namespace tailgate::activity
