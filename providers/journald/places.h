// Paths in the private view of a journald trial.
#pragma once

#include <filesystem>

#include "harness/sink/sink.h"

namespace tailgate::journald {

// The journal namespace, systemd-journald's argument: the journal's name for this instance.
inline constexpr const char* kInstance = "tailgate";
inline constexpr const char* kSocket = "/run/systemd/journal.tailgate/socket";
// Marks the private view: the file contains the path of the trial's directory.
inline constexpr const char* kMark = "/run/tailgate-session";

// The folder of this instance's journal files, as seen in the view. Throws Error when the machine
// has no id.
std::filesystem::path journal_directory(const Options& options);

// The machine's id, 32 hexadecimal digits; empty when /etc/machine-id contains none.
std::string machine_id();

// The sequence number of the last entry before the load, which journald wrote about itself. The
// session saves it in the trial's directory, the consumer loads it. Both throw Error.
void save_base_sequence(const TrialContext& context, std::uint64_t sequence);
std::uint64_t load_base_sequence(const TrialContext& context);

}  // namespace tailgate::journald
