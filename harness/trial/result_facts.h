// Facts that every kind of result file contains.
#pragma once

#include <string>
#include <vector>

#include "harness/base/options.h"
#include "harness/os/clock.h"
#include "harness/result/result.h"
#include "harness/sink/catalog.h"

namespace tailgate {

// The current time, ISO 8601.
std::string utc_now();

// 16 random hexadecimal digits.
std::string random_id();

// All options with their resolved values.
std::vector<Setting> describe_options(const Options& options);

// A sink with its capabilities under these options.
SinkUsed describe_sink(const SinkChoice& sink);

ClockUsed describe_clock(const ClockParameters& clock, const ClockDrift& drift);

}  // namespace tailgate
