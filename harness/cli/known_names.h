// Names by which a user chooses among what is there: a name that nothing has is refused, in the
// same words everywhere.
#pragma once

#include <string>
#include <vector>

#include "harness/cli/surroundings.h"
#include "harness/run/catalog.h"
#include "harness/trial/load.h"

namespace tailgate {

// "file" of "file:mode=mmap".
std::string name_of_sink(const std::string& sink);

// Throws Error, as SinkCatalog::find does, where the program has no sink of that name. A path is
// taken for a library that is elsewhere, and options are not looked at.
void check_sink_name(const SinkCatalog& sinks, const std::string& sink);

// The same for names that results may have, too, of which others' builds have more than this one.
void check_sink_name(const SinkCatalog& sinks, const std::vector<std::string>& measured,
                     const std::string& sink);

// Throws Error for a scenario's option that plays no part in duets: rounds and turns say there how
// much is run.
void check_duet_settings(const std::vector<Setting>& settings);

// Throws Error where the user says how a load waits that never does.
void check_pacing(bool pacing_given, const LoadPlan& load);

}  // namespace tailgate
