// Facts that every kind of result states, in its words.
#pragma once

#include <string>
#include <vector>

#include "harness/base/clock.h"
#include "harness/base/options.h"
#include "harness/result/result.h"
#include "providers/registry.h"

namespace tailgate {

// Now, ISO 8601.
std::string utc_now();

// 16 hexadecimal digits drawn at random.
std::string random_id();

// All options, as resolved.
std::vector<Setting> describe_options(const Options& options);

// A sink with its capabilities under these options.
SinkUsed describe_sink(const SinkChoice& sink);

ClockUsed describe_clock(const ClockCalibration& clock, const ClockDrift& drift);

}  // namespace tailgate
