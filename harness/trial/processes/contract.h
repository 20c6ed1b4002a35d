// The calls that a sink must stand, whatever the load: it is opened twice, closes twice, refuses
// after that, takes events of every size, keeps within them, and gives back what it opened.
#pragma once

#include <filesystem>
#include <string>

#include "harness/trial/processes/trial_sink.h"
#include "harness/trial/settings.h"

namespace tailgate {

// In the provider process: makes the calls. Throws Error that names the first that went wrong.
void make_contract_calls(const TrialSink& sink);

// In the controller: starts a session and a process that makes the calls, in `directory`, which
// must not exist yet and is removed afterwards. Returns what went wrong, empty if nothing did.
// Throws Error if the trial cannot be set up.
std::string check_contract(const SinkChoice& sink, const TrialSettings& settings,
                           const std::filesystem::path& directory);

}  // namespace tailgate
