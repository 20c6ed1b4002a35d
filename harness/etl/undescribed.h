// Events whose payload has no public description. They stay undecoded. Reports name them, so that
// nobody takes them for a decoder's error.
#pragma once

#include <string_view>

#include "harness/etl/record.h"

namespace tailgate::etl {

// Returns what such an event is; empty for all other events.
std::string_view undescribed_event(const RecordHeader& header);

}  // namespace tailgate::etl
