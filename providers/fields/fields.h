// Gives the events of any sink fields: each call formats them into a copy of its event, then makes
// the sink's call, as a program does that logs a message with values. An option that begins with
// "fields_" adds that: "spdlog:fields_count=8:fields_as=integer".
#pragma once

#include <memory>
#include <string_view>

#include "harness/sink/sink.h"

namespace tailgate {

// Whether `name` is an option of the fields.
bool is_fields_option(std::string_view name);

// The sink whose events have fields: same name, and the fields' options beside the sink's own.
std::unique_ptr<const SinkType> give_fields(std::shared_ptr<const SinkType> sink);

}  // namespace tailgate
