// Where things lie in the private view of a journald trial.
#pragma once

#include <filesystem>

#include "providers/sink.h"

namespace tailgate::journald {

// The journal namespace (systemd-journald's argument): what the journal calls this instance.
inline constexpr const char* kInstance = "tailgate";
inline constexpr const char* kSocket = "/run/systemd/journal.tailgate/socket";
// Says whose private view this is: its content is the trial's directory.
inline constexpr const char* kMark = "/run/tailgate-session";

// The folder of this instance's journal files, within the view. Throws Error when the machine has
// no id.
std::filesystem::path journal_directory(const Options& options);

// The machine's id, 32 hexadecimal digits; empty when /etc/machine-id holds none.
std::string machine_id();

// The sequence number of the last entry that the daemon wrote of itself before the load, left by
// the session in the trial's directory for the consumer. Both throw Error.
void save_base_sequence(const TrialContext& context, std::uint64_t sequence);
std::uint64_t load_base_sequence(const TrialContext& context);

}  // namespace tailgate::journald
