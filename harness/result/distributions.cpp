#include "harness/result/distributions.h"

#include <fmt/format.h>

#include <string>

#include "harness/base/error.h"
#include "harness/histogram/histogram_codec.h"
#include "harness/result/latency.h"

namespace tailgate {
namespace {

template <class Decode>
void check(const std::string& whose, Decode decode_it) {
  try {
    decode_it();
  } catch (const Error& error) {
    throw Error(fmt::format("a histogram of {} is damaged: {}", whose, error.what_failed()),
                "restore the file, or run it again");
  }
}

}  // namespace

void check_distributions(const Result& result) {
  for (const StepSummary& step : result.summary) {
    check(fmt::format("step {}", step.step), [&] {
      for (const Latency* latency : {&step.service, &step.response}) {
        if (!latency->hdr.empty()) decode(latency->hdr);
      }
    });
  }
  for (const Trial& trial : result.trials) {
    check(fmt::format("trial {}", trial.index), [&] {
      for (const Latency* latency : {&trial.service, &trial.response, &trial.start_lag}) {
        decode_latency(*latency);
      }
      if (trial.consumer.delivery) decode_latency(*trial.consumer.delivery);
    });
  }
}

}  // namespace tailgate
