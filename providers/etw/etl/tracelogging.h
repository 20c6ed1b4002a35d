// TraceLogging: events that carry their own schema. Source: TraceLoggingProvider.h and the
// documentation of TraceLogging's metadata; layouts checked on real events.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "providers/etw/etl/bytes.h"
#include "providers/etw/etl/guid.h"
#include "providers/etw/etl/schema.h"

namespace tailgate::etl {

// Decodes event metadata (the extended item of type tracelogging_schema): its own u16 size, tags,
// the event's name, then the fields. Nothing when it is cut, nests deeper than 16, or names a type
// that does not exist. provider and provider_name are left to the caller.
std::unique_ptr<EventSchema> parse_tracelogging(Bytes metadata);

struct ProviderTraits {
  std::string name;
  std::optional<Guid> group;
};

// Decodes provider traits (the extended item of type provider_traits). Nothing when cut.
std::optional<ProviderTraits> parse_provider_traits(Bytes traits);

}  // namespace tailgate::etl
