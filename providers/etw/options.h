// The etw sink's options, and what its roles agree on for one trial.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/options.h"
#include "providers/etw/etl/guid.h"
#include "providers/sink.h"

namespace tailgate::etw {

OptionTable options();

// The level (evntrace.h: TRACE_LEVEL_*) and keyword with which a session enables the provider, and
// with which the provider writes.
struct Selection {
  std::uint8_t level = 0;
  std::uint64_t keyword = 0;
};
Selection session_selection(const Options& options);
Selection event_selection();

// A session of its own enables only the provider of its own trial: both follow from the trial's
// directory.
etl::Guid provider_guid(const TrialContext& context);

// Where the session writes, as Windows wants it: in mode new_file with %d, which it numbers.
std::filesystem::path trace_path(const TrialContext& context);
// What it has written, in order of their names. Throws filesystem_error.
std::vector<std::filesystem::path> written_traces(const TrialContext& context);

}  // namespace tailgate::etw
