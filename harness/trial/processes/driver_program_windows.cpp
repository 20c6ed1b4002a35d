#include "harness/base/error.h"
#include "harness/trial/processes/driver_program.h"

namespace tailgate {

void become_driver(TrialMemory&, const TrialSink& sink, const DriverProgram&) {
  throw Error("sink '" + sink.type->name() + "' is driven by a program of its own, and tailgate " +
                  "runs such programs on Linux alone",
              "measure it on Linux, or write a plugin for this system");
}

}  // namespace tailgate
