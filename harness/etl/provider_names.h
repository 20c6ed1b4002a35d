// Names of well-known providers: a trace without its providers' schemas has only their GUIDs.
#pragma once

#include <string_view>

#include "harness/etl/guid.h"

namespace tailgate::etl {

// The name of a provider that Windows or .NET has registered; empty for others. Sources: the
// manifests of Windows 10 as airbus-cert/etl-parser lists them, and the parsers of
// microsoft/perfview's TraceEvent.
std::string_view known_provider_name(const Guid& provider);

}  // namespace tailgate::etl
