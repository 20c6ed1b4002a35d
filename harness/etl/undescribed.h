// Events of which nothing public says what their payload holds. They stay undecoded, and reports
// name them, so that nobody looks for an error.
#pragma once

#include <string_view>

#include "harness/etl/record.h"

namespace tailgate::etl {

// What such an event is; empty for all others.
std::string_view undescribed_event(const RecordHeader& header);

}  // namespace tailgate::etl
