// The Trace of a machine on which nothing can be traced.
#pragma once

#include <string>
#include <utility>

#include "harness/explain/trace.h"

namespace tailgate::activity {

// All of a call's time is untraced, and the result says why.
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
