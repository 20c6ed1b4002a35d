// TraceLogging: events that contain their own schema. Source: TraceLoggingProvider.h and the
// documentation of TraceLogging's metadata; layouts checked on real events.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "harness/etl/bytes.h"
#include "harness/etl/guid.h"
#include "harness/etl/schema.h"

namespace tailgate::etl {

// Decodes event metadata (the extended item of type tracelogging_schema): its u16 size, tags, the
// event's name, then the fields. Returns nothing when it is cut, nests deeper than 16, or names an
// unknown type. The caller fills in provider and provider_name.
std::unique_ptr<EventSchema> parse_tracelogging(Bytes metadata);

struct ProviderTraits {
  std::string name;
  std::optional<Guid> group;
};

// Decodes provider traits (the extended item of type provider_traits). Returns nothing when they
// are cut.
std::optional<ProviderTraits> parse_provider_traits(Bytes traits);

}  // namespace tailgate::etl
