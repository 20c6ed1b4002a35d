// The etw sink's options, and the names that its three roles share in one trial.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/options.h"
#include "harness/etl/guid.h"
#include "harness/sink/sink.h"

namespace tailgate::etw {

OptionTable options();

// The level (evntrace.h: TRACE_LEVEL_*) and the keyword that a session enables for the provider, or
// that the provider writes.
struct Selection {
  std::uint8_t level = 0;
  std::uint64_t keyword = 0;
};
Selection session_selection(const Options& options);
Selection event_selection();

// The provider's GUID in this trial. A trial's session enables no other provider; the GUID is made
// from the trial's directory.
etl::Guid provider_guid(const TrialContext& context);

// The path of the session's file as Windows expects it; in mode new_file it contains %d, which
// Windows replaces by a number.
std::filesystem::path trace_path(const TrialContext& context);
// The files that the session has written, in order of their names. Throws filesystem_error.
std::vector<std::filesystem::path> written_traces(const TrialContext& context);

}  // namespace tailgate::etw
